package web

import (
	"html/template"
	"io"
	"strings"

	"github.com/pgseek/pgseek/search/query"
)

// EmbedView has the values of the page that shows a search box for other pages.
type EmbedView struct {
	Frame
	Address string  // of the results, with scheme and host
	Fields  []Field // parameters that the box sends besides the query
}

// Embed writes the page with the HTML of a search box for other sites.
func (p *Pages) Embed(w io.Writer, v EmbedView) error {
	in := p.in(v.Frame)
	f := in.frame(v.Frame, "embed", in.say("embed.heading"))
	d := struct {
		frame
		Address, Sites, Path string
		Others               []Field // of the form: what it does not ask for
		Snippet              string
		Preview              template.HTML
	}{frame: f, Address: v.Address}
	fields := v.Fields
	if v.Chosen {
		fields = append(fields[:len(fields):len(fields)], Field{"hl", in.code})
	}
	for _, x := range v.Fields {
		switch x.Name {
		case "site":
			d.Sites = x.Value
		case "path":
			d.Path = x.Value
		default:
			d.Others = append(d.Others, x)
		}
	}
	d.Snippet = string(in.searchBox(v.Address, fields))
	d.Preview = in.searchBox(f.Root+"search", fields) // the policy allows forms to searchd itself only
	return in.render(w, "embed", d)
}

// searchBox returns the HTML of a form without script and style. Pages in other charsets send UTF-8, too.
func (p *pageSet) searchBox(action string, fields []Field) template.HTML {
	escape := template.HTMLEscapeString
	var b strings.Builder
	b.WriteString(`<form action="` + escape(action) + `" accept-charset="utf-8">` + "\n")
	b.WriteString(`  <input type="search" name="q" aria-label="` + escape(p.say("base.search_for")) + `"> <button>` + escape(p.say("base.search")) + "</button>\n")
	for _, f := range fields {
		b.WriteString(`  <input type="hidden" name="` + escape(f.Name) + `" value="` + escape(plain(f.Value)) + `">` + "\n")
	}
	b.WriteString("</form>")
	return template.HTML(b.String()) //nolint:gosec // every part is escaped
}

// boxFields returns the parameters of a form that a search box sends with each query.
func boxFields(f Form) (fields []Field) {
	f.Params = query.Params{IncludeSites: f.IncludeSites, ExcludeSites: f.ExcludeSites, Body: f.Body, Desc: f.Desc, Keywords: f.Keywords, Title: f.Title}
	f.Page, f.Explain, f.JSON, f.Jump = 0, false, false, false
	for _, pair := range f.Pairs() {
		switch pair.Name {
		case "hl": // of the frame
			continue
		case "is": // the same, in a word
			pair.Name = "site"
		}
		fields = append(fields, Field(pair))
	}
	return fields
}
