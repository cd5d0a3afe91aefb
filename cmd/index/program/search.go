package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/web"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// searchOptions are --search and what goes with it.
type searchOptions struct {
	search, format string
	page, perPage  int
	why            bool
}

// searchNames are the options that go with --search alone.
var searchNames = []string{"format", "page", "per-page", "why"}

func (o *searchOptions) searchFlags(f *pflag.FlagSet) {
	f.StringVar(&o.search, "search", "", "find documents by a `query`, as searchd does")
	f.StringVar(&o.format, "format", "text", "with --search: `text` or json")
	f.IntVar(&o.page, "page", 1, "with --search: `number` of the page of results, from 1")
	f.IntVar(&o.perPage, "per-page", 10, "with --search: `number` of results a page, 1 to 100")
	f.BoolVar(&o.why, "why", false, "with --search: say what each weight is made of")
}

// checkSearch refuses what --search cannot do. Whether a page is too deep is for the search to say.
func (o *options) checkSearch(f *pflag.FlagSet) error {
	for _, name := range searchNames {
		if f.Changed(name) && !f.Changed("search") {
			return fmt.Errorf("--%s goes with --search", name)
		}
	}
	switch {
	case o.format != "text" && o.format != "json":
		return fmt.Errorf("--format %s: want text or json", o.format)
	case o.page < 1 || o.page > search.MaxResults:
		return fmt.Errorf("--page %d: want 1 to %d", o.page, search.MaxResults)
	case o.perPage < 1 || o.perPage > search.MaxPerPage:
		return fmt.Errorf("--per-page %d: want 1 to %d", o.perPage, search.MaxPerPage)
	}
	return nil
}

// A finder is what --search asks.
type finder interface {
	Search(context.Context, search.Request) (*search.Result, error)
}

// searchMode is --search: what searchd would answer, without a row in stat, which is about people.
func (p *program) searchMode(ctx context.Context) error {
	cfg, err := config.LoadSearch(p.cfg.Place(), nil)
	if err != nil {
		return err
	}
	rules, err := p.wordRules()
	if err != nil {
		return err
	}
	c := &cfg.Search
	d := web.Defaults{
		Parse: query.Options{MinFixedPatternLength: c.MinFixedPatternLength, Stored: rules.Stored},
		Flat:  !c.AccountDistance, Forms: c.WordForms != "no", Excerpts: 2,
	}
	if c.WordForms != "no" && c.WordForms != "yes" {
		d.Languages = strings.Split(c.WordForms, ",")
	}
	return p.withStore(ctx, "index --search", func(ctx context.Context, s *store.DB) error {
		engine, err := search.NewEngine(ctx, lookup.New(s), search.EngineOptions{
			SiteWeights: c.SiteWeights, Rules: rules,
			Normalize: func(address string) (string, error) {
				u, err := weburl.Normalize(address, p.cfg.Spider.MaxURLLength)
				return u.Text, err
			},
		})
		if err != nil {
			return err
		}
		return p.find(ctx, engine, d)
	})
}

// find searches and shows what was found. A query that cannot be read is a mistake in the arguments.
func (p *program) find(ctx context.Context, engine finder, d web.Defaults) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	a := web.Answer{
		Form:  web.Form{Params: query.Params{Query: p.o.search}, Page: p.o.page - 1, PerPage: p.o.perPage, Explain: p.o.why},
		Begin: time.Now(),
	}
	var err error
	if a.Request, err = a.Form.Request(d, a.Begin); err == nil {
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

// queryError is a query that cannot be read: a usage error with a hint of its own.
type queryError struct{ wrong *query.Error }

func (e queryError) Error() string { return "--search: " + e.wrong.Text }

// foundWidth is how wide texts are shown, in characters.
const foundWidth = 96

// showFound is the answer as people read it.
func (p *program) showFound(a *web.Answer) {
	r := a.Result
	bold, plain := p.styles()
	fmt.Fprintf(p.out, "%s of %s, %.1f ms\n", plural(r.URLs, "document"), plural(r.Sites, "site"), float64(r.Took.Microseconds())/1000)
	for _, n := range r.Notes {
		fmt.Fprintf(p.out, "%s\n", clean(n.String()))
	}
	for _, s := range r.Spell {
		fmt.Fprintf(p.out, "No document has %q; did you mean %q?\n", s.Word, s.Instead)
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
	if r.Pages > 1 {
		fmt.Fprintf(p.out, "\npage %d of %d\n", a.Form.Page+1, r.Pages)
	}
}

// showText shows the excerpts of a hit, and without any how its text begins.
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

// wrap shows words in lines of foundWidth; what makes them bold has no width.
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

// What a terminal shows in bold.
const (
	boldOn  = "\x1b[1m"
	boldOff = "\x1b[0m"
)

// styles are boldOn and boldOff where a terminal shows them, else empty; NO_COLOR is obeyed.
func (p *program) styles() (bold, plain string) {
	f, ok := p.out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return "", ""
	}
	return boldOn, boldOff
}

// factsOf is a line about a hit.
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

// whyOf says what a weight is made of.
func whyOf(h *search.Hit) string {
	x := h.Parts
	parts := []string{fmt.Sprintf("rank %d", h.Rank), "in the " + clean(x.Section)}
	if x.Site != 0 {
		parts = append([]string{fmt.Sprintf("site weight %d", x.Site)}, parts...)
	}
	if !x.Exact {
		parts = append(parts, "another form of a word")
	}
	parts = append(parts, map[int]string{0: "no phrase", 1: "part of the phrase", 2: "parts of the phrase", 3: "the whole as one phrase"}[x.Phrases])
	if x.Count > 0 {
		parts = append(parts, plural(x.Count, "time"))
	}
	if x.Place >= 0 {
		parts = append(parts, fmt.Sprintf("at place %d", x.Place))
	}
	return strings.Join(append(parts, fmt.Sprintf("link rank %d", x.Link)), ", ")
}
