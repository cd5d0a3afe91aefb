package web

import (
	"encoding/base64"
	"html/template"
	"net/url"
	"strings"

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
		html := template.HTML(`<p><a class="name" href="`+address(home)+`">`) + p.look.copyName() + "</a>"
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

// maxCopyLogo is the maximum size of a logo in a cached copy, which contains it: a copy is sandboxed, and may load nothing from
// searchd.
const maxCopyLogo = 64 << 10

// copyName returns the name above a cached copy: the logo, if it may be there, else text.
func (l *Look) copyName() template.HTML {
	name, source := template.HTMLEscapeString(plain(l.Name)), ""
	switch {
	case l.copyImages() == "data:":
		source = "data:" + l.logoType() + ";base64," + base64.StdEncoding.EncodeToString(l.Logo.Body)
	case l.copyImages() != "":
		source = l.LogoURL
	default:
		return template.HTML(name) //nolint:gosec // escaped
	}
	return template.HTML(`<img class="logo" src="` + template.HTMLEscapeString(source) + `" alt="` + name + `">`) //nolint:gosec // escaped
}

// copyImages returns where the logo of a cached copy comes from, as Content-Security-Policy names it; empty = there is none.
func (l *Look) copyImages() string {
	if len(l.Logo.Body) > 0 {
		if len(l.Logo.Body) <= maxCopyLogo && l.logoType() != "" {
			return "data:"
		}
		return ""
	}
	return l.logoOrigin()
}

// logoOrigin returns the origin of a logo on another host, empty if there is none.
func (l *Look) logoOrigin() string {
	u, err := url.Parse(l.LogoURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsAny(u.Host, " ;,'\"") {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// copyStyle returns the rules for the colors of cached copies.
func (p *Pages) copyStyle() string { return p.look.colors() }

// copyPolicy returns the Content-Security-Policy of cached copies.
func (p *Pages) copyPolicy() string { return snippet.CopyPolicy(p.copyStyle(), p.look.copyImages()) }
