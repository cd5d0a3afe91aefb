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
// only, no frames. Policy adds the origin of a logo that is on another host.
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
	look      Look
	languages *catalogs
	sets      map[string]*pageSet // by code of the language
}

// A pageSet is the pages in one language.
type pageSet struct {
	*catalog
	look      *Look
	templates map[string]*template.Template // by the name of the page
	own       map[string]*template.Template // the operator's, which are used instead; nil = none
	strict    bool                          // an error of own is returned
}

// NewPages parses the templates, which are part of the program, once for each language.
func NewPages(look Look) (*Pages, error) {
	languages, err := loadCatalogs(look.Language)
	if err != nil {
		return nil, fmt.Errorf("search pages: %w", err)
	}
	if look.Name == "" {
		look.Name = defaultName
	}
	p := &Pages{look: look, languages: languages, sets: map[string]*pageSet{}}
	for code, c := range languages.byCode {
		x := &pageSet{catalog: c, look: &p.look}
		if x.templates, err = parsePages(c, nil); err != nil {
			return nil, fmt.Errorf("search pages: %w", err)
		}
		if len(look.Files) > 0 {
			if x.own, err = parsePages(c, look.Files); err != nil {
				return nil, templateFault(err)
			}
		}
		p.sets[code] = x
	}
	return p, p.try()
}

// pageFileNames are the files of each page, besides base.html.
var pageFileNames = map[string][]string{
	"home": {"home"}, "results": {"results", "hit", "empty", "keys", "facets"}, "advanced": {"advanced"}, "help": {"help"}, "status": {"status", "operator"}, "explain": {"explain"}, "embed": {"embed"}, "fail": {"fail"},
}

// parsePages parses the templates with the functions of a language. Own files replace those of the program.
func parsePages(c *catalog, own map[string]File) (map[string]*template.Template, error) {
	parse := func(t *template.Template, name string) error {
		file, ok := own[name+".html"]
		if !ok {
			body, err := pageFiles.ReadFile("pages/" + name + ".html")
			if err != nil {
				return err
			}
			file = File{Path: name + ".html", Body: body}
		}
		_, err := t.New(file.Path).Parse(string(file.Body))
		return err
	}
	base := template.New("").Funcs(c.funcs())
	if err := parse(base, "base"); err != nil {
		return nil, err
	}
	for _, name := range []string{"header", "footer"} {
		file, ok := own[name]
		if !ok {
			continue
		}
		x, err := base.New(file.Path).Parse(string(file.Body))
		if err == nil && x.Tree != nil {
			_, err = base.AddParseTree(name, x.Tree)
		}
		if err != nil {
			return nil, err
		}
	}
	pages := map[string]*template.Template{}
	for page, files := range pageFileNames {
		t, err := base.Clone()
		for _, name := range files {
			if err == nil {
				err = parse(t, name)
			}
		}
		if err != nil {
			return nil, err
		}
		pages[page] = t
	}
	return pages, nil
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
	Name    string // of the search, instead of pgseek
	Plain   bool   // Name is the default
	Logo    string // address of an image; empty = the name as text
	Icon    string // address of the logo if it is searchd's, else empty
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
	x := frame{Root: f.Root, Name: p.look.Name, Plain: p.look.Name == defaultName, Lang: p.code, Here: here, Title: title, Suggest: p.look.Suggest}
	if x.Logo = p.look.LogoURL; len(p.look.Logo.Body) > 0 {
		x.Logo, x.Icon = f.Root+"logo", f.Root+"logo"
	}
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
	return in.render(w, "home", struct {
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
	return in.render(w, "fail", struct {
		frame
		Fail FailView
	}{f, v})
}

// render writes a whole page, or nothing if the template fails. If one of the operator fails, which try did not
// find, it is logged and the page of the program is shown.
func (p *pageSet) render(w io.Writer, page string, data any) error {
	var b bytes.Buffer
	var err error
	if own := p.own[page]; own != nil {
		if err = own.ExecuteTemplate(&b, "page", data); err != nil && p.strict {
			return templateFault(err)
		} else if err != nil {
			p.look.log().Error("a template failed; the page of the program is shown instead", "page", page, "cause", templateFault(err))
			b.Reset()
		}
	}
	if b.Len() == 0 && !p.strict {
		err = p.templates[page].ExecuteTemplate(&b, "page", data)
	}
	if err != nil {
		return fmt.Errorf("search pages: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

// Static returns a file of the pages by its name, with its Content-Type; ok is false if there is none of that
// name. base is the address of the home page with scheme, host and a slash at the end
// (https://search.example.org/). Only opensearch.xml contains it, escaped. The bytes must not be changed. The
// files change only with the program and the configuration.
func (p *Pages) Static(name, base string) (body []byte, contentType string, ok bool) {
	switch name {
	case "style.css":
		contentType = "text/css; charset=utf-8"
	case "favicon.svg":
		contentType = "image/svg+xml"
	case "opensearch.xml":
		contentType = "application/opensearchdescription+xml; charset=utf-8"
	case "logo":
		return p.look.Logo.Body, p.look.logoType(), len(p.look.Logo.Body) > 0
	default:
		return nil, "", false
	}
	body, err := pageFiles.ReadFile("pages/" + name)
	if own, replaced := p.look.Files[name]; replaced {
		body, err = own.Body, nil
	}
	if err != nil {
		return nil, "", false
	}
	switch name {
	case "style.css":
		body = append(bytes.Clone(body), p.look.colors()...)
	case "opensearch.xml":
		text := p.languages.usual()
		body = []byte(strings.NewReplacer(
			"{base}", template.HTMLEscapeString(plain(base)), "{name}", template.HTMLEscapeString(cut(plain(p.look.Name), 16)),
			"{long name}", template.HTMLEscapeString(cut(plain(p.look.Name), 48)),
			"{description}", template.HTMLEscapeString(text.say("base.opensearch", "name", plain(p.look.Name))),
		).Replace(string(body)))
	}
	return body, contentType, true
}

// StyleSheet returns the stylesheet of the pages, for pages of other programs that look like them.
func StyleSheet() []byte {
	body, _ := pageFiles.ReadFile("pages/style.css") // it is part of the program
	return body
}
