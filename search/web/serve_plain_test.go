package web

import (
	"fmt"
	"io"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store/report"
)

// plainPages render answers as plain text.
type plainPages struct{}

func (plainPages) contentType() string { return "text/plain; charset=utf-8" }

func (plainPages) policy() string {
	return "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
}

func (plainPages) language(string, string) (string, bool) { return "en", false }

func (plainPages) copyStyle() string { return "" }

func (plainPages) copyPolicy() string { return snippet.CopyPolicy("", "") }

func (plainPages) copyHead(Frame, string, string, string) snippet.CopyHead { return nil }

func (plainPages) home(w io.Writer, _ Frame, size *report.IndexSize) error {
	text := "pgseek: /search?q=words\n"
	if size != nil {
		text += fmt.Sprintf("%d documents of %d sites\n", size.Documents, size.Sites)
	}
	_, err := io.WriteString(w, text)
	return err
}

func (plainPages) results(w io.Writer, _ Frame, a Answer) error {
	if a.Err != nil {
		_, err := fmt.Fprintf(w, "%s\n\n%s\n", a.Form.Text(), a.Err)
		return err
	}
	if _, err := fmt.Fprintf(w, "%s\n\n%d documents of %d sites\n", a.Form.Text(), a.Result.URLs, a.Result.Sites); err != nil {
		return err
	}
	for i := range a.Result.Hits {
		h := &a.Result.Hits[i]
		if _, err := fmt.Fprintf(w, "\n%s\n%s\n", query.Clean(h.Title), query.Clean(h.URL)); err != nil {
			return err
		}
	}
	return nil
}

func (plainPages) advanced(w io.Writer, _ Frame, f Form) error {
	_, err := fmt.Fprintf(w, "pgseek: /search?q= and the parameters of docs/http.md\n%s\n", f.Encode())
	return err
}

func (plainPages) embed(w io.Writer, _ Frame, f Form, base string) error {
	_, err := fmt.Fprintf(w, "%ssearch?%s\n", base, f.Encode())
	return err
}

func (plainPages) help(w io.Writer, _ Frame) error {
	_, err := io.WriteString(w, "pgseek: words, OR, -word, \"a phrase\", (parentheses), word*, title:word, site:name, link:address\n")
	return err
}

func (plainPages) explain(w io.Writer, _ Frame, v ExplainView) error {
	_, err := fmt.Fprintf(w, "explain %s: %s", v.URL, v.Text)
	return err
}

func (plainPages) status(w io.Writer, _ Frame, a statusAnswer) error {
	x := a.index
	if a.operator != nil {
		_, _ = fmt.Fprint(w, "operator ")
	}
	_, err := fmt.Fprintf(w, "%d documents, %d waiting for the merge\n", x.Documents, x.Merge.Waiting)
	return err
}

func (plainPages) fail(w io.Writer, _ Frame, f failure, _ Form) error {
	_, err := fmt.Fprintf(w, "%d %s\n%s\n", f.status, f.code, f.english())
	return err
}

func (plainPages) static(name, base string) (body []byte, contentType string, ok bool) {
	switch name {
	case "style.css":
		return []byte("body{}\n"), "text/css; charset=utf-8", true
	case "opensearch.xml":
		return []byte("<Url template=\"" + base + "search?q={searchTerms}\"/>\n"), "application/opensearchdescription+xml", true
	}
	return nil, "", false
}
