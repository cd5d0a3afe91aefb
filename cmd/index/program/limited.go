package program

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// maxWarned is how many hosts the end of a run names.
const maxWarned = 10

// warnOfPauses names the hosts whose URLs a run left because the hosts had asked for a longer pause.
func warnOfPauses(ctx context.Context, s *store.DB) error {
	list, err := crawl.New(s).LimitedHosts(ctx, "")
	if err != nil {
		return err
	}
	left := 0
	for i := range list {
		h := &list[i]
		if !h.Due {
			continue
		}
		if left++; left <= maxWarned {
			slog.WarnContext(ctx, "host asked for a pause; the rest of its URLs stays due for a run after it", "host", clean(h.Host),
				"until", h.Until.Local().Format(time.DateTime), "status", h.Status, "url", clean(h.URL),
				"ends", "then, or by index --release "+siteOf(h.URL))
		}
	}
	if left > maxWarned {
		slog.WarnContext(ctx, "more hosts asked for a pause; index -S names them", "hosts", left-maxWarned)
	}
	return nil
}

// limited prints which hosts asked for a pause, if any (-S).
func (p *program) limited(ctx context.Context, s *store.DB) error {
	list, err := crawl.New(s).LimitedHosts(ctx, "")
	if err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Hosts that asked for a pause; index --release SITE ends it\n\n")
	for i := range list {
		fmt.Fprintf(p.out, "   %s  %s\n", clean(list[i].Host), wording.PauseText(&list[i]))
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}

// siteOf returns the site of a URL for messages, the URL itself when it is none.
func siteOf(url string) string {
	if u, err := weburl.Typed(url, 0); err == nil {
		return clean(u.Site)
	}
	return clean(url)
}
