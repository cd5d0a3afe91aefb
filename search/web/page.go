package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"time"
)

// PagePolicy is the Content-Security-Policy of Pages: no scripts, one stylesheet, requests to the server
// only, no frames.
const PagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

//go:embed pages
var pageFiles embed.FS

// Pages are the HTML pages of searchd. Each method writes one page as UTF-8 text/html. If a template fails,
// which is a programming error, it returns an error and writes nothing. All values of the views are escaped,
// so they may come from anywhere. Pages are safe for concurrent use.
//
// Every page works without scripts, and has one only if Look.Suggest is set. It requests nothing but style.css, favicon.svg and opensearch.xml
// (Static), and the script /suggest. Links of the pages themselves lead to Root (the home page) and below it to search, advanced, help
// and status. All other links come from functions and strings of the views; if one of these is nil or empty,
// its link is left out.
//
// The texts of the pages are in messages/, a file a language.
type Pages struct {
	languages *catalogs
	suggest   bool
	sets      map[string]*pageSet // by code of the language
}

// A pageSet is the pages in one language.
type pageSet struct {
	*catalog
	suggest                                     bool
	home, results, advanced, help, status, fail *template.Template
}

// A Look is how the pages look. The zero value is usable.
type Look struct {
	Language string // of readers who ask for none that there is; empty = en
	Suggest  bool   // the pages have the script that shows suggestions
}

// NewPages parses the templates, which are part of the program, once for each language.
func NewPages(look Look) (*Pages, error) {
	languages, err := loadCatalogs(look.Language)
	if err != nil {
		return nil, fmt.Errorf("search pages: %w", err)
	}
	p := &Pages{languages: languages, suggest: look.Suggest, sets: map[string]*pageSet{}}
	for code, c := range languages.byCode {
		if p.sets[code], err = newPageSet(c); err != nil {
			return nil, fmt.Errorf("search pages: %w", err)
		}
		p.sets[code].suggest = look.Suggest
	}
	return p, nil
}

// newPageSet parses the templates with the functions of a language.
func newPageSet(c *catalog) (*pageSet, error) {
	base, err := template.New("base").Funcs(c.funcs()).ParseFS(pageFiles, "pages/base.html")
	if err != nil {
		return nil, err
	}
	p := &pageSet{catalog: c}
	for _, x := range []struct {
		page  **template.Template
		files []string
	}{
		{&p.home, []string{"home"}},
		{&p.results, []string{"results", "hit", "empty", "keys"}},
		{&p.advanced, []string{"advanced"}},
		{&p.help, []string{"help"}},
		{&p.status, []string{"status"}},
		{&p.fail, []string{"fail"}},
	} {
		t, err := base.Clone()
		for _, name := range x.files {
			if err == nil {
				t, err = t.ParseFS(pageFiles, "pages/"+name+".html")
			}
		}
		if err != nil {
			return nil, err
		}
		*x.page = t
	}
	return p, nil
}

// in returns the pages in the language of a view.
func (p *Pages) in(f Frame) *pageSet { return p.sets[p.languages.in(f.Lang).code] }

// Language returns the language of a reader: the one that asked names (hl), else the best one for the header
// Accept-Language. chosen reports that asked decided.
func (p *Pages) Language(asked, header string) (code string, chosen bool) {
	if asked != "" {
		if code := p.languages.named(asked); code != "" {
			return code, true
		}
	}
	return p.languages.accepted(header), false
}

// Frame has the values that all views share. The zero value is usable.
type Frame struct {
	// Root is the path of the home page, with a slash at both ends. Empty = /.
	Root string
	// Lang is the code of the language, of Language. Empty = the default language.
	Lang string
	// Chosen is set if the reader chose Lang with hl: links to other pages keep it.
	Chosen bool
}

// stay returns the value of hl that keeps the language, empty if the reader did not choose it.
func (f Frame) stay() string {
	if f.Chosen {
		return f.Lang
	}
	return ""
}

// frame has the values of base.html, which is around every page.
type frame struct {
	Root    string
	Lang    string // of the texts
	Stay    string // the query string that keeps the language, or empty
	Title   string // of the window, without the name of the program
	Here    string // the current page of the navigation, or empty
	Ask     ask
	JSON    string // this page as JSON
	Index   bool   // search engines may list the page
	Suggest bool   // the page has the script that shows suggestions
}

// ask is the search form at the top.
type ask struct {
	Query string
	Kept  []Field
	Focus bool // the box has the focus
	Large bool // in the middle of the home page
	None  bool // the page has a form of its own
	Error bool // its text is wrong; the element with id query-error has the error
}

func (p *pageSet) frame(f Frame, here, title string) frame {
	if f.Root == "" {
		f.Root = "/"
	}
	x := frame{Root: f.Root, Lang: p.code, Here: here, Title: title, Suggest: p.suggest}
	if f.Chosen {
		x.Stay = "?hl=" + p.code
	}
	return x
}

// HomeView has the values of the home page.
type HomeView struct {
	Frame
	Documents int64 // number of documents that a search can find
	Sites     int64 // number of sites with such documents
	// Updated is the time of the last change of the index: the end of the last merge or of index -T. Zero =
	// unknown, or never.
	Updated time.Time
}

// Home writes the page with the search box.
func (p *Pages) Home(w io.Writer, v HomeView) error {
	in := p.in(v.Frame)
	f := in.frame(v.Frame, "", "")
	f.Ask = ask{Focus: true, Large: true}
	f.Index = true
	return render(w, in.home, struct {
		frame
		HomeView
	}{f, v})
}

// FailView has the values of the page for a request that cannot be answered: status 400, 404, 405, 500, 503
// and so on. Errors of queries belong to ResultsView.
type FailView struct {
	Frame
	Status int    // of HTTP; the page shows it
	Title  string // a few words; empty = the default for the status
	Text   string // sentences about the error and the remedy; empty = the default for the status
	Query  string // the query of the request, if any: the box has it, so that it can be sent again
	Kept   []Field
}

// Fail writes the page for a request that cannot be answered.
func (p *Pages) Fail(w io.Writer, v FailView) error {
	in := p.in(v.Frame)
	code := strconv.Itoa(v.Status)
	if _, _, ok := in.find("fail.title_" + code); !ok {
		code = "other"
	}
	if v.Title == "" {
		v.Title = in.say("fail.title_" + code)
	}
	if v.Text == "" {
		v.Text = in.say("fail.code_" + code)
	}
	f := in.frame(v.Frame, "", v.Title)
	f.Ask = ask{Query: v.Query, Kept: v.Kept, Focus: true}
	return render(w, in.fail, struct {
		frame
		Fail FailView
	}{f, v})
}

// render writes a whole page, or nothing if the template fails.
func render(w io.Writer, t *template.Template, data any) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "page", data); err != nil {
		return fmt.Errorf("search pages: %w", err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Static returns a file of the pages by its name, with its Content-Type; ok is false if there is none of that
// name. base is the address of the home page with scheme, host and a slash at the end
// (https://search.example.org/). Only opensearch.xml contains it, escaped. The bytes must not be changed. The
// files change only with the program.
func (*Pages) Static(name, base string) (body []byte, contentType string, ok bool) {
	switch name {
	case "style.css":
		contentType = "text/css; charset=utf-8"
	case "favicon.svg":
		contentType = "image/svg+xml"
	case "opensearch.xml":
		contentType = "application/opensearchdescription+xml; charset=utf-8"
	default:
		return nil, "", false
	}
	body, err := pageFiles.ReadFile("pages/" + name)
	if err != nil {
		return nil, "", false
	}
	if name == "opensearch.xml" {
		body = []byte(strings.ReplaceAll(string(body), "{base}", template.HTMLEscapeString(plain(base))))
	}
	return body, contentType, true
}
