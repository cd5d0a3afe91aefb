package spider

import (
	"context"
	"log/slog"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/store/crawl"
)

// HoldNoIndex looks, at the end of a crawl, whether most of a site says noindex, which is often a mistake. Such a site is hidden, as
// it asks for, and put on hold: the contents of its documents are kept until it said so on LostLimit different days, or the operator
// releases the site.
func HoldNoIndex(ctx context.Context, s *crawl.Store, o Options) error {
	held, err := holdNoIndex(ctx, s, o)
	for i := range held {
		x := &held[i]
		slog.WarnContext(ctx, "more than MaxLostShare of the documents of a site say noindex; they are not found any more, but their contents are kept for now",
			"site", x.Name, "documents", x.Kept, "example", printable.Log(x.URL), "days", x.Days, "until_day", o.LostLimit,
			"remedy", "take noindex off the site, and its documents are found again at their next visit (index -a: at once); index --release "+x.Name+" lets their contents go after LostPeriod")
	}
	return err
}

// holdNoIndex puts sites on hold that say noindex in most of their documents, ends such holds, and returns the sites on hold.
func holdNoIndex(ctx context.Context, s *crawl.Store, o Options) (held []crawl.NoIndexSite, err error) {
	return s.HoldNoIndex(ctx, o.LostLimit, func(x *crawl.NoIndexSite) bool {
		return mostOfSite(x.Kept, x.Live+x.Kept, o.MaxLostShare)
	})
}
