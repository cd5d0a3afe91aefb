package explain

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// named adds which sitemaps, listings and archives name the URL, and what the sitemaps of its site name.
func (x *explanation) named(ctx context.Context, s *store.DB) error {
	sites, err := report.New(s).SiteSitemaps(ctx, x.url.Site)
	if err != nil {
		return err
	}
	for _, l := range sites {
		x.Line("Sitemaps", "%d of its site with %s, %d refused (index -S --sites shows why), %d failing", l.Sitemaps, wording.Plural(l.Entries, "URL"),
			l.Refused, l.Failing)
	}
	list, err := report.New(s).Namers(ctx, x.ID, 10)
	if err != nil || len(list) == 0 {
		return err
	}
	n := list[0]
	x.Line("Named by", "%s", x.namer(n))
	for _, n := range list[1:] {
		x.Detail("%s", x.namer(n))
	}
	return nil
}

// namer returns a source that names the URL, in words.
func (x *explanation) namer(n report.Namer) string {
	if n.Kind != "sitemap" {
		return fmt.Sprintf("%s %s", n.Kind, n.URL)
	}
	text := fmt.Sprintf("sitemap %s (%s", n.URL, cmp.Or(n.NamedIn, "an index file"))
	if n.GoodAt != nil {
		text += ", read at " + x.When(*n.GoodAt)
	}
	if n.Failing {
		text += ", failing since"
	}
	return text + ")"
}
