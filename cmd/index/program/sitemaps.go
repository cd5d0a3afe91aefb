package program

import (
	"cmp"
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

// named adds which sitemaps, listings and archives name the URL, and what the sitemaps of its site name.
func (x *explanation) named(ctx context.Context, s *store.DB) error {
	sites, err := report.New(s).SiteSitemaps(ctx, x.url.Site)
	if err != nil {
		return err
	}
	for _, l := range sites {
		x.line("Sitemaps", "%d of its site with %s, %d refused (index -S --sites shows why), %d failing", l.Sitemaps, plural(l.Entries, "URL"),
			l.Refused, l.Failing)
	}
	list, err := report.New(s).Namers(ctx, x.ID, 10)
	if err != nil || len(list) == 0 {
		return err
	}
	n := list[0]
	x.line("Named by", "%s", x.namer(n))
	for _, n := range list[1:] {
		x.detail("%s", x.namer(n))
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
		text += ", read at " + x.when(*n.GoodAt)
	}
	if n.Failing {
		text += ", failing since"
	}
	return text + ")"
}
