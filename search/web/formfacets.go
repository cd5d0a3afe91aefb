package web

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// A Narrowing is the values of facets that a request has chosen.
type Narrowing struct {
	SiteIDs []int32  // st: ids of sites
	Langs   []string // lang: languages
	Types   []string // type: short names of content types
	Tags    []int32  // tag
	Path    string   // path: the beginning of the path, as addresses are stored
}

// narrowing reads the parameters of facets.
func (r *formReader) narrowing() (n Narrowing) {
	n.SiteIDs = r.ids("st", maxSites-1)
	n.Tags = r.ids("tag", math.MaxInt32)
	n.Langs = r.names("lang", func(text string) string {
		code, ok := query.Language(text)
		if !ok {
			r.wrong("lang", "%s is not the code of a language such as de.", query.Quote(text))
		}
		return code
	})
	n.Types = r.names("type", func(text string) string { return query.TypeNamed(strings.TrimLeft(text, ".")) })
	if path := strings.TrimSpace(r.text("path")); path != "" {
		if len(path) > maxLimit {
			r.wrong("path", "An address of %d bytes is too long: %d are allowed.", len(path), maxLimit)
			return n
		}
		n.Path = escapedPath(path)
	}
	return n
}

// ids reads a list of numbers. st=0 is no site, as in s.cgi.
func (r *formReader) ids(name string, high int) (list []int32) {
	for _, text := range r.list(name) {
		n, err := wholeNumber(text)
		if err != nil || n > high {
			r.wrong(name, "%s is not a whole number from %d to %d.", query.Quote(text), 0, high)
			return nil
		}
		if n > 0 || name != "st" {
			list = append(list, int32(n))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// names reads a list of names.
func (r *formReader) names(name string, normal func(string) string) (list []string) {
	for _, text := range r.list(name) {
		if text = normal(text); text != "" {
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// list reads the values of a parameter that may be repeated, or have several values with commas between them.
func (r *formReader) list(name string) (list []string) {
	for _, v := range r.values[name] {
		for text := range strings.FieldsFuncSeq(query.Clean(v), func(c rune) bool { return c == ',' || c == ' ' }) {
			if len(list) == maxListed || len(text) > maxNamed {
				r.wrong(name, "Too many values, or one that is too long: %d of %d bytes are allowed.", maxListed, maxNamed)
				return nil
			}
			list = append(list, strings.ToLower(text))
		}
	}
	return list
}

// maxNamed is the maximum length of a value of lang, type, st and tag.
const maxNamed = 100

// escapedPath returns a path as addresses are stored: it begins with a slash, and other characters than those of ASCII are
// escaped.
func escapedPath(path string) string {
	var b strings.Builder
	if path[0] != '/' {
		b.WriteByte('/')
	}
	for _, c := range path {
		if c > ' ' && c < utf8.RuneSelf {
			b.WriteRune(c)
		} else {
			b.WriteString(url.PathEscape(string(c)))
		}
	}
	return b.String()
}

// narrowing appends the parameters of facets.
func (p *pairs) narrowing(n Narrowing) {
	p.add("st", numbers(n.SiteIDs))
	p.add("lang", strings.Join(n.Langs, ","))
	p.add("type", strings.Join(n.Types, ","))
	p.add("tag", numbers(n.Tags))
	p.add("path", n.Path)
}

func numbers(list []int32) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(int(n))
	}
	return strings.Join(texts, ",")
}

// spanOf returns the value of the facet of dates that the form has chosen, or an empty text.
func (d DateForm) spanOf() string {
	for _, s := range search.Spans {
		kind, days := DatesBack, s.Days
		if days < 0 {
			kind, days = DatesOlder, -days
		}
		if d.Kind == kind && d.Back == strconv.Itoa(days)+"d" {
			return s.Name
		}
	}
	return ""
}

// chosen reports whether the form has chosen a value of a facet.
func (f Form) chosen(facet string, v *search.FacetValue) bool {
	if facet == "date" {
		return f.Dates.spanOf() == v.Value
	}
	return v.Chosen
}

// Toggled returns the search with a value of a facet chosen or, if it is chosen already, not chosen, from the first page.
func (f Form) Toggled(facet string, v *search.FacetValue) Form {
	f.Page = 0
	number, _ := strconv.Atoi(v.Value)
	on := !f.chosen(facet, v)
	switch facet {
	case "site":
		f.SiteIDs = toggled(f.SiteIDs, v.Site, on)
	case "lang":
		f.Langs = toggled(f.Langs, v.Value, on)
	case "type":
		f.Types = toggled(f.Types, v.Value, on)
	case "tag":
		f.Tags = toggled(f.Tags, int32(number), on)
	case "path":
		f.Path = ""
		if on {
			f.Path = v.Value
		}
	case "date":
		f.Dates = DateForm{}
		for _, s := range search.Spans {
			switch {
			case s.Name != v.Value || !on:
			case s.Days < 0:
				f.Dates = DateForm{Kind: DatesOlder, Back: strconv.Itoa(-s.Days) + "d"}
			default:
				f.Dates = DateForm{Kind: DatesBack, Back: strconv.Itoa(s.Days) + "d"}
			}
		}
	}
	return f
}

// toggled returns a sorted list with a value or without it.
func toggled[T int32 | string](list []T, v T, on bool) []T {
	var all []T
	for _, x := range list {
		if x != v {
			all = append(all, x)
		}
	}
	if on {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}
