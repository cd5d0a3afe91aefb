package web

import (
	"html/template"

	"github.com/pgseek/pgseek/search/snippet"
)

// copyHead returns the texts above a cached copy: the name, the way back to the results of the query, and what
// the copy is. home and back are whole addresses, since a copy has the base of its document; back is empty
// without a query.
func (p *Pages) copyHead(f Frame, query, home, back string) snippet.CopyHead {
	in := p.in(f)
	return func(s *snippet.CopySource, title, linked string) (lang, window, about, marked string) {
		say := func(key string, values ...any) template.HTML {
			text, _ := in.text(key, values...) // the values are pairs
			return text
		}
		html := template.HTML(`<p><a class="name" href="`+address(home)+`">`) + template.HTML(template.HTMLEscapeString(plain(p.look.Name))) + "</a>"
		if back != "" {
			html += template.HTML(` <a href="`+address(back)+`">`) + say("copy.back", "query", isolated(cut(plain(query), 100))) + "</a>"
		}
		html += "</p>\n<p>"
		if s.AsOf.IsZero() {
			html += say("copy.about", "address", template.HTML(linked))
		} else {
			html += say("copy.about_time", "address", template.HTML(linked), "time", timeElement(s.AsOf, in.moment(s.AsOf)))
		}
		if s.Truncated {
			html += " " + say("copy.beginning")
		}
		html += " " + say("copy.left_out") + "</p>"
		return in.code, in.say("copy.title", "title", plain(title)), string(html), in.say("copy.marked")
	}
}
