package web

import (
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/search"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// A facetView is a facet as a page shows it.
type facetView struct {
	Name   string
	Values []facetValueView
	More   int
}

// A facetValueView is a value of a facet with the address of the search with the value or, if it is chosen, without it.
type facetValueView struct {
	Label, Lang, URL string
	URLs             int
	Chosen           bool
}

// maxFacetLabel is the maximum length of a value, in characters.
const maxFacetLabel = 60

// facets returns the facets of a result that have something to choose.
func (d *resultsPage) facets() (list []facetView) {
	if d.FacetURL == nil || d.Result == nil {
		return nil
	}
	for _, f := range d.Result.Facets {
		view := facetView{Name: f.Name, More: f.More}
		any, within := false, 0
		for i := range f.Values {
			v := &f.Values[i]
			url, on := d.FacetURL(f.Name, v)
			again := f.Name == "date" && v.Value != "older" && v.URLs == within // a longer time with the documents of a shorter one
			within = v.URLs
			if !on && (v.URLs == 0 || again) {
				continue
			}
			any = any || on
			view.Values = append(view.Values, facetValueView{Label: d.in.facetLabel(f.Name, v.Value), URL: url, URLs: v.URLs, Chosen: on})
		}
		if any || len(view.Values) > 1 {
			list = append(list, view)
		}
	}
	return list
}

// facetLabel returns the value of a facet for people.
func (x *catalog) facetLabel(facet, value string) string {
	value = cut(plain(value), maxFacetLabel)
	switch facet {
	case "site":
		return hostOf(value)
	case "lang":
		return x.languageName(value)
	case "type":
		return x.typeName(value)
	case "date":
		return x.named("facet.", value)
	}
	return value
}

// hostOf returns the host of a site, and its scheme if that is not http or https.
func hostOf(site string) string {
	for _, scheme := range []string{"http://", "https://"} {
		if host, ok := strings.CutPrefix(site, scheme); ok {
			return strings.TrimSuffix(host, "/")
		}
	}
	return site
}

// languageName returns the name of a language in the language of the page.
func (x *catalog) languageName(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return code
	}
	for _, in := range []string{x.code, "en"} {
		if of, err := language.Parse(in); err == nil {
			if names := display.Languages(of); names != nil {
				if name := names.Name(tag); name != "" {
					return name
				}
			}
		}
	}
	return code
}

// typeName returns the name of a type for people.
func (x *catalog) typeName(short string) string {
	name := x.named("facet.type_", short)
	if name == short && utf8.RuneCountInString(short) <= 4 {
		return strings.ToUpper(short)
	}
	return name
}

// narrowingLimits returns the chosen values of facets as limits, each with the address of the search without it. sites has
// the names of sites that the result knows.
func (x *catalog) narrowingLimits(f Form, at func(Form) string, facets []search.Facet) (limits []Limit) {
	sites := map[int32]string{}
	for _, facet := range facets {
		for _, v := range facet.Values {
			if v.Site != 0 {
				sites[v.Site] = v.Value
			}
		}
	}
	without := func(facet string, v search.FacetValue) string {
		v.Chosen = true
		form := f.Toggled(facet, &v)
		if facet == "site" && f.Group == Off {
			form.Group = Usual
		}
		return at(form)
	}
	for _, id := range f.SiteIDs {
		text := x.say("limit.site")
		if sites[id] != "" {
			text = x.say("limit.only", "place", hostOf(sites[id]))
		}
		limits = append(limits, Limit{text, without("site", search.FacetValue{Site: id})})
	}
	for _, lang := range f.Langs {
		limits = append(limits, Limit{x.say("limit.lang", "name", x.languageName(lang)), without("lang", search.FacetValue{Value: lang})})
	}
	for _, t := range f.Types {
		limits = append(limits, Limit{x.say("limit.type", "name", x.typeName(t)), without("type", search.FacetValue{Value: t})})
	}
	for _, tag := range f.Tags {
		limits = append(limits, Limit{x.say("limit.tag", "number", int(tag)), without("tag", search.FacetValue{Value: numbers([]int32{tag})})})
	}
	if f.Path != "" {
		limits = append(limits, Limit{x.say("limit.path", "path", f.Path), without("path", search.FacetValue{Value: f.Path})})
	}
	return limits
}
