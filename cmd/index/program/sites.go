package program

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// siteColumns are the columns of -S --sites. Server to Unreach count URLs in a series of errors of that class,
// Unread those whose type nothing reads.
var siteColumns = []string{"Found", "Fetched", "Live", "Lost", "Server", "Auth", "Gone", "Unreach", "Unread", "Withdrawn"}

func siteNumbers(l *report.SiteSummary) []int64 {
	return []int64{l.Found, l.Fetched, l.Live, l.Lost, l.Server, l.Auth, l.Gone, l.Unreachable, l.Unread, l.Withdrawn}
}

// sites is -S --sites: it prints a line for each site, with the reason if the site is on hold.
func (p *program) sites(ctx context.Context, s *store.DB) error {
	list, err := report.New(s).SiteSummaries(ctx)
	if err != nil {
		return err
	}
	rule := "   " + strings.Repeat("-", 10*len(siteColumns)+3)
	fmt.Fprintf(p.out, "\n          pgseek sites: URLs, documents, and errors by class\n\n")
	for _, name := range siteColumns {
		fmt.Fprintf(p.out, "%10s", name)
	}
	fmt.Fprintf(p.out, "  Site\n%s\n", rule)
	total := make([]int64, len(siteColumns))
	for i := range list {
		l, text := &list[i], clean(list[i].Site)
		if l.Hold != nil {
			text += "  " + wording.HoldText(l.Hold)
		}
		for k, n := range siteNumbers(l) {
			total[k] += n
		}
		siteLine(p.out, siteNumbers(l), text)
	}
	fmt.Fprintln(p.out, rule)
	siteLine(p.out, total, fmt.Sprintf("Total of %s", plural(len(list), "site")))
	fmt.Fprint(p.out, "\n\n")
	return p.siteSitemaps(ctx, s)
}

func siteLine(to io.Writer, numbers []int64, text string) {
	for _, n := range numbers {
		fmt.Fprintf(to, "%10d", n)
	}
	fmt.Fprintf(to, "  %s\n", text)
}
