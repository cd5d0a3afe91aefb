package program

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// shownSitemaps is how many sitemaps a report shows.
const shownSitemaps = 20

// siteSitemaps adds the sitemaps to -S --sites: a line for each site that has some, and why entries were refused.
func (p *program) siteSitemaps(ctx context.Context, s *store.DB) error {
	list, err := report.New(s).SiteSitemaps(ctx, "")
	if err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          pgseek sitemaps: what they name, by site\n\n")
	for _, name := range []string{"Sitemaps", "Failing", "Entries", "Accepted", "Refused"} {
		fmt.Fprintf(p.out, "%10s", name)
	}
	fmt.Fprintf(p.out, "  Site\n   %s\n", strings.Repeat("-", 53))
	for _, l := range list {
		siteLine(p.out, []int64{int64(l.Sitemaps), int64(l.Failing), int64(l.Entries), int64(l.Named), int64(l.Refused)}, clean(l.Site))
	}
	fmt.Fprint(p.out, "\n\n")
	return p.badSitemaps(ctx, s, true)
}

// badSitemaps prints which sitemaps failed or are broken, if any, and with refused those that have entries which were refused.
func (p *program) badSitemaps(ctx context.Context, s *store.DB, refused bool) error {
	list, err := report.New(s).BadSitemaps(ctx, refused, shownSitemaps+1)
	if err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Sitemaps with errors or refused entries (table sitemaps)\n\n")
	for i, m := range list {
		if i == shownSitemaps {
			fmt.Fprintf(p.out, "   and more\n")
			break
		}
		fmt.Fprintf(p.out, "   %s\n", clean(m.URL))
		switch {
		case m.Line > 0:
			fmt.Fprintf(p.out, "      broken in line %d: %s\n", m.Line, clean(m.Error))
		case m.Error != "" && m.Status == 200:
			fmt.Fprintf(p.out, "      %s\n", clean(m.Error))
		case m.Status != 200 && m.Status != 304:
			fmt.Fprintf(p.out, "      cannot be had: %s\n", clean(strings.TrimSuffix(numbered(m.Status)+": "+m.Error, ": ")))
		}
		if m.Refused > 0 && refused {
			fmt.Fprintf(p.out, "      refused: %s\n", clean(m.Refusals))
		}
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}
