package program

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/web"
	"github.com/spf13/pflag"
)

// searchParameters are the parameters of /search (docs/http.md) that --search takes as options. The options have their names, but for those
// whose parameter is named here. Options of a list may be repeated. path and tag are options already.
var searchParameters = []struct {
	name, help string
	list       bool
	parameter  string
}{
	{"site", "with --search: only documents of this `site` (example.org); repeatable", true, ""},
	{"xs", "with --search: no documents of this `site`; repeatable", true, ""},
	{"ul", "with --search: only documents of the site `URL` (http://host/), or of this mask of table subsets; repeatable", true, ""},
	{"sp", "with --search: only documents of the web space `N`; repeatable", true, ""},
	{"lang", "with --search: only documents in this `language` (de); repeatable", true, ""},
	{"type", "with --search: only documents of this `type` (html, pdf, word); repeatable", true, ""},
	{"dt", "with --search: whether --dp means the time before now, or what is older", false, ""},
	{"dp", "with --search: only documents modified within this `time` (12h, 7d, 1y), with --dt older before it", false, ""},
	{"from", "with --search: only documents modified on this `day` (2026-12-31) or later", false, "db"},
	{"until", "with --search: only documents modified on this `day` or earlier", false, "de"},
	{"sort", "with --search: order: rate (best first) or date (newest first)", false, "s"},
	{"match", "with --search: any of the words, or all", false, ""},
	{"fm", "with --search: other `forms` of the words: on, off, or languages (en,de)", false, ""},
	{"gr", "with --search: on: a result for each site; off: order of rank alone", false, ""},
}

// searchNames are the options of --search only.
var searchNames = append([]string{"format", "match-all", "page", "per-page", "why", "facets"}, parameterNames()...)

func parameterNames() (names []string) {
	for _, p := range searchParameters {
		names = append(names, p.name)
	}
	return names
}

// searchFlags declares the options of searchParameters.
func (o *options) searchFlags(f *pflag.FlagSet) {
	for _, p := range searchParameters {
		if p.list {
			f.StringArray(p.name, nil, p.help)
		} else {
			f.String(p.name, "", p.help)
		}
	}
	f.BoolVar(&o.facets, "facets", false, "with --search: count the documents by site, language, type, date, folder and tag")
}

// readParameters takes the values of the options for --search as a browser would send them.
func (o *options) readParameters(f *pflag.FlagSet) {
	o.parameters = url.Values{"q": {o.search}, "ps": {strconv.Itoa(o.perPage)}, "page": {strconv.Itoa(o.page)}}
	for _, p := range searchParameters {
		name := p.name
		if p.parameter != "" {
			name = p.parameter
		}
		if list, err := f.GetStringArray(p.name); p.list && err == nil {
			o.parameters[name] = list
		} else if value := f.Lookup(p.name).Value.String(); !p.list && value != "" {
			o.parameters.Set(name, value)
		}
	}
	for _, name := range []string{"site", "xs"} { // which have several values in one text
		o.parameters.Set(name, strings.Join(o.parameters[name], " "))
	}
	for _, tag := range o.tags {
		o.parameters.Add("tag", strconv.Itoa(int(tag)))
	}
	o.parameters.Set("path", o.path)
	for name, on := range map[string]bool{"facets": o.facets, "explain": o.why} {
		if on {
			o.parameters.Set(name, "on")
		}
	}
	if o.matchAll {
		o.parameters.Set("match", "all")
	}
}

// form returns the search that the options ask for. A parameter that cannot be read is a *query.Error.
func (o *options) form() (web.Form, error) { return web.ReadForm(o.parameters) }

// queryError is a query or a filter that cannot be read: a usage error whose message says what to write.
type queryError struct{ wrong *query.Error }

func (e queryError) Error() string { return e.option() + ": " + e.wrong.Text }

// option returns the option with the error.
func (e queryError) option() string {
	for _, p := range searchParameters {
		if e.wrong.Field == p.name || e.wrong.Field == p.parameter && p.parameter != "" {
			return "--" + p.name
		}
	}
	names := map[string]string{"np": "--page", "page": "--page", "ps": "--per-page", "path": "--path", "tag": "-t", "is": "--site"}
	if name := names[e.wrong.Field]; name != "" {
		return name
	}
	return "--search"
}
