package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"golang.org/x/term"
)

// finder is the search engine of --search.
type finder interface {
	Search(context.Context, search.Request) (*search.Result, error)
}

// searchMode is --search: it answers like searchd, but records nothing in table stat.
func (p *program) searchMode(ctx context.Context) error {
	place := p.o.place
	if place != "" {
		place = p.cfg.Place() // a file that stands for sets.cnf is none of searchd.conf
	}
	cfg, err := config.LoadSearch(place, nil)
	if err != nil {
		return err
	}
	rules, err := settings.WordRules(&p.cfg.Spider, p.cfg.SpiderFile)
	if err != nil {
		return err
	}
	vocabulary, err := settings.Vocabulary(&cfg.Search, rules)
	if err != nil {
		return err
	}
	d := settings.SearchDefaults(&cfg.Search, rules)
	return p.withStore(ctx, "index --search", func(ctx context.Context, s *store.DB) error {
		version, err := lookup.New(s).WordRulesVersion(ctx)
		if err != nil {
			return err
		}
		database.WarnOfWordRules(ctx, version)
		engine, err := search.NewEngine(ctx, lookup.New(s), search.EngineOptions{
			SiteWeights: cfg.Search.SiteWeights, Weigh: cfg.Search.Weigh(), Rules: rules,
			Normalize: func(address string) (string, error) {
				u, err := weburl.Typed(address, p.cfg.Spider.MaxURLLength)
				return u.Text, err
			},
		})
		if err != nil {
			return err
		}
		engine.SetVocabulary(vocabulary)
		return p.find(ctx, engine, d)
	})
}

// find searches and prints the result. A query that cannot be parsed is a usage error.
func (p *program) find(ctx context.Context, engine finder, d web.Defaults) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	a := web.Answer{Begin: time.Now()}
	var err error
	if a.Form, err = p.o.form(); err == nil {
		a.Request, err = a.Form.Request(d, a.Begin)
	}
	if err == nil {
		a.Result, err = engine.Search(ctx, a.Request)
	}
	switch wrong := (*query.Error)(nil); {
	case p.stop.Err() != nil && errors.Is(err, context.Canceled):
		return errInterrupted
	case errors.As(err, &wrong):
		return queryError{wrong}
	case err != nil:
		return err
	}
	if p.o.format == "json" {
		return web.WriteJSON(p.out, &a, d)
	}
	p.showFound(&a)
	return nil
}

// foundWidth is the width of texts, in characters.
const foundWidth = 96

// showFound prints a result as text.
func (p *program) showFound(a *web.Answer) {
	r := a.Result
	bold, plain := p.styles()
	fmt.Fprintf(p.out, "%s of %s, %.1f ms\n", plural(r.URLs, "document"), plural(r.Sites, "site"), float64(r.Took.Microseconds())/1000)
	if r.AnyURLs > r.AllURLs {
		more := ""
		if r.More {
			more = "more than "
		}
		fmt.Fprintf(p.out, "%s with all of these words, %s%d with any\n", plural(r.AllURLs, "document"), more, r.AnyURLs)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(p.out, "%s\n", clean(n.String()))
	}
	for _, s := range r.Spell {
		if s.Used {
			fmt.Fprintf(p.out, "No document has %q; these are for %q\n", s.Word, s.Instead)
		} else {
			fmt.Fprintf(p.out, "No document has %q; did you mean %q?\n", s.Word, s.Instead)
		}
	}
	for _, k := range r.KeyMatches {
		fmt.Fprintf(p.out, "\n   > %s%s%s\n     %s\n", bold, clean(k.Title), plain, clean(k.URL))
	}
	if r.URLs == 0 {
		unknown := false
		for _, w := range r.Words {
			if w.URLs == 0 {
				fmt.Fprintf(p.out, "%q is in no document\n", clean(w.Text))
				unknown = true
			}
		}
		if !unknown && a.Form.Limited() {
			fmt.Fprintln(p.out, "The words are in documents, but in none that passes the filters of this search")
		} else {
			fmt.Fprintln(p.out, "index -S tells what is indexed")
		}
	}
	at := a.Form.Page * a.Form.PerPage // of groups, when they are grouped
	for i := range r.Hits {
		h := &r.Hits[i]
		number, title := "", h.Title
		if h.First || !r.Grouped {
			at++
			number = fmt.Sprintf("%d.", at)
		}
		if title == "" {
			title = "No title"
		}
		fmt.Fprintf(p.out, "\n%4s %s%s%s\n     %s\n", number, bold, clean(title), plain, clean(h.URL))
		p.showText(h, bold, plain)
		fmt.Fprintf(p.out, "     %s\n", factsOf(h))
		if h.Parts != nil {
			fmt.Fprintf(p.out, "     %s\n", whyOf(h))
		}
		for _, c := range h.Clones {
			fmt.Fprintf(p.out, "     also %s\n", clean(c.URL))
		}
		if h.MoreOf > 0 {
			fmt.Fprintf(p.out, "     and %s more with the same content\n", plural(h.MoreOf, "address"))
		}
		if h.InSite > 2 {
			fmt.Fprintf(p.out, "     %d documents of this site match\n", h.InSite)
		}
	}
	p.showFacets(r.Facets)
	if r.Pages > 1 {
		fmt.Fprintf(p.out, "\npage %d of %d\n", a.Form.Page+1, r.Pages)
	}
}

// showFacets prints a line for each facet: its values and the documents of each. Chosen values are bold.
func (p *program) showFacets(facets []search.Facet) {
	bold, plain := p.styles()
	for i, f := range facets {
		values := make([]string, len(f.Values))
		for j, v := range f.Values {
			if values[j] = fmt.Sprintf("%s %d", clean(v.Value), v.URLs); v.Chosen {
				values[j] = bold + values[j] + plain
			}
		}
		if f.More > 0 {
			values = append(values, fmt.Sprintf("%d more", f.More))
		}
		if i == 0 {
			fmt.Fprintln(p.out)
		}
		fmt.Fprintf(p.out, "%-4s  %s\n", f.Name, strings.Join(values, ", "))
	}
}

// showText prints the excerpts of a hit, or the beginning of its text if it has none.
func (p *program) showText(h *search.Hit, bold, plain string) {
	if len(h.Excerpts) == 0 {
		if text := strings.Join(strings.Fields(clean(h.Text)), " "); text != "" {
			if utf8.RuneCountInString(text) > 2*foundWidth {
				text = string([]rune(text)[:2*foundWidth]) + "..."
			}
			p.wrap(strings.Fields(text))
		}
		return
	}
	for _, e := range h.Excerpts {
		var text strings.Builder
		for _, span := range e {
			if span.CutBefore {
				text.WriteString("... ")
			}
			if span.Term >= 0 {
				text.WriteString(bold + clean(span.Text) + plain)
			} else {
				text.WriteString(clean(span.Text))
			}
			if span.CutAfter {
				text.WriteString(" ...")
			}
		}
		p.wrap(strings.Fields(text.String()))
	}
}

// wrap prints words in lines of foundWidth; escape sequences have no width.
func (p *program) wrap(words []string) {
	line, width := "", 0
	for _, w := range words {
		n := utf8.RuneCountInString(strings.NewReplacer(boldOn, "", boldOff, "").Replace(w))
		if width > 0 && width+1+n > foundWidth {
			fmt.Fprintf(p.out, "     %s\n", line)
			line, width = "", 0
		}
		if width > 0 {
			line, width = line+" ", width+1
		}
		line, width = line+w, width+n
	}
	if line != "" {
		fmt.Fprintf(p.out, "     %s\n", line)
	}
}

// Escape sequences for bold text.
const (
	boldOn  = "\x1b[1m"
	boldOff = "\x1b[0m"
)

// styles returns boldOn and boldOff if standard output is a terminal that shows them, else empty strings. It obeys
// NO_COLOR.
func (p *program) styles() (bold, plain string) {
	f, ok := p.out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return "", ""
	}
	return boldOn, boldOff
}

// factsOf formats size, type, language and date of a hit.
func factsOf(h *search.Hit) string {
	media, _, _ := strings.Cut(h.ContentType, ";")
	facts := []string{plural(h.Size, "byte")}
	if h.Size >= 1024 {
		facts[0] = fmt.Sprintf("%.1f KB", float64(h.Size)/1024)
	}
	if media != "" {
		facts = append(facts, clean(strings.TrimSpace(media)))
	}
	if h.Lang != "" {
		facts = append(facts, clean(h.Lang))
	}
	if !h.Modified.IsZero() {
		facts = append(facts, h.Modified.Local().Format(time.DateOnly))
	}
	if lost := store.Status(h.Status).Lost(); lost != 0 {
		facts = append(facts, fmt.Sprintf("lost: the site answers %d now", lost))
	}
	return strings.Join(facts, "  ")
}

// whyOf formats the parts of a weight.
func whyOf(h *search.Hit) string {
	parts := []string{fmt.Sprintf("rank %d", h.Rank)}
	if h.Parts.Site != 0 {
		parts = append([]string{fmt.Sprintf("site weight %d", h.Parts.Site)}, parts...)
	}
	if h.Parts.Weight != 0 {
		parts = append(parts, fmt.Sprintf("times %g", h.Parts.Weight))
	}
	if x := h.Parts.RelevanceParts; x != nil {
		for _, t := range x.Terms {
			as := ""
			if len(t.Synonyms) > 0 {
				as = " as " + clean(strings.Join(t.Synonyms, ", "))
			}
			parts = append(parts, fmt.Sprintf("%s%s %.2f (rarity %.2f, occurrences %.2f)", clean(t.Text), as, t.Score, t.IDF, t.Count))
		}
		if x.Near > 0 {
			parts = append(parts, fmt.Sprintf("near %.2f", x.Near))
		}
		if x.Title > 0 {
			parts = append(parts, fmt.Sprintf("title %.2f", x.Title))
		}
		parts = append(parts, fmt.Sprintf("links %.2f", x.Links), fmt.Sprintf("length %d of %d", x.Length, x.Average))
	}
	if x := h.Parts.ASPseekParts; x != nil {
		parts = append(parts, placeOf(x)...)
	}
	return strings.Join(append(parts, fmt.Sprintf("link rank %d", h.Parts.Link)), ", ")
}

// placeOf formats the parts of ASPseek's rank.
func placeOf(x *search.ASPseekParts) []string {
	parts := []string{"in the " + clean(x.Section)}
	if !x.Exact {
		parts = append(parts, "another form of a word")
	}
	parts = append(parts, map[int]string{0: "no phrase", 1: "part of the phrase", 2: "parts of the phrase", 3: "the whole as one phrase"}[x.Phrases])
	if x.Count > 0 {
		parts = append(parts, plural(x.Count, "time"))
	}
	if x.Place >= 0 {
		parts = append(parts, fmt.Sprintf("at position %d", x.Place))
	}
	return parts
}
