package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
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
// Every page works without scripts and requests nothing but style.css, favicon.svg and opensearch.xml
// (Static). Links of the pages themselves lead to Root (the home page) and below it to search, advanced, help
// and status. All other links come from functions and strings of the views; if one of these is nil or empty,
// its link is left out.
type Pages struct {
	home, results, advanced, help, status, fail *template.Template
}

// NewPages parses the templates, which are part of the program.
func NewPages() (*Pages, error) {
	base, err := template.New("base").Funcs(pageFuncs).ParseFS(pageFiles, "pages/base.html")
	if err != nil {
		return nil, fmt.Errorf("search pages: %w", err)
	}
	p := new(Pages)
	for _, x := range []struct {
		page  **template.Template
		files []string
	}{
		{&p.home, []string{"home"}},
		{&p.results, []string{"results", "hit", "empty"}},
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
			return nil, fmt.Errorf("search pages: %w", err)
		}
		*x.page = t
	}
	return p, nil
}

// Frame has the values that all views share. The zero value is usable.
type Frame struct {
	// Root is the path of the home page, with a slash at both ends. Empty = /.
	Root string
}

// frame has the values of base.html, which is around every page.
type frame struct {
	Root  string
	Title string // of the window, without the name of the program
	Here  string // the current page of the navigation, or empty
	Ask   ask
	JSON  string // this page as JSON
	Index bool   // search engines may list the page
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

func (f Frame) frame(here, title string) frame {
	root := f.Root
	if root == "" {
		root = "/"
	}
	return frame{Root: root, Here: here, Title: title}
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
	f := v.frame("", "")
	f.Ask = ask{Focus: true, Large: true}
	f.Index = true
	return render(w, p.home, struct {
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

// failTexts has the default title and text of each status.
var failTexts = map[int][2]string{
	400: {"This request cannot be read", "The address of this page has an invalid part. Start a new search in the box above."},
	404: {"Page not found", "There is no page at this address. Search the index with the box above."},
	405: {"Method not allowed", "Only GET requests are allowed here."},
	414: {"The address is too long", "A query can have at most 1,024 bytes. Use a shorter one."},
	431: {"The request is too long", "A query can have at most 1,024 bytes. Use a shorter one."},
	500: {"Something went wrong here", "This is an error of the server. Its log has the details. You can try again."},
	503: {"The server is busy", "The server is running its maximum number of searches, or its database is restarting. Please try again in a moment."},
}

// Fail writes the page for a request that cannot be answered.
func (p *Pages) Fail(w io.Writer, v FailView) error {
	texts, ok := failTexts[v.Status]
	if !ok {
		texts = [2]string{"This did not work", "The server could not answer. You can try again."}
	}
	if v.Title == "" {
		v.Title = texts[0]
	}
	if v.Text == "" {
		v.Text = texts[1]
	}
	f := v.frame("", v.Title)
	f.Ask = ask{Query: v.Query, Kept: v.Kept, Focus: true}
	return render(w, p.fail, struct {
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
