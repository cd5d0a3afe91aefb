package web

import (
	"io"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// HelpView has the values of the help page: the limits of the query language on this server.
type HelpView struct {
	Frame
	MinFixedPatternLength int                       // as in Options; 0 = the default
	Forms                 bool                      // other forms of words count by default (WordForms)
	All                   bool                      // documents must have all words (Match all, Ranking aspseek)
	ASPseek               bool                      // Ranking aspseek
	Site                  string                    // a host of the index for the examples; empty = example.org
	QueryURL              func(query string) string // address of the results of a query; nil = the examples are no links
}

// A helpLine is an example of a query with a description of its results.
type helpLine struct{ Query, URL, Finds string }

// A helpPart is a section of the page.
type helpPart struct {
	ID, Title string
	Text      []string
	Lines     []helpLine
	After     []string
}

// Help writes the page about the query language.
func (p *Pages) Help(w io.Writer, v HelpView) error {
	in := p.in(v.Frame)
	f := in.frame(v.Frame, "help", in.say("base.help"))
	f.Index = true
	if v.MinFixedPatternLength <= 0 {
		v.MinFixedPatternLength = query.DefaultMinFixedPatternLength
	}
	if v.Site == "" {
		v.Site = "example.org"
	}
	parts := in.helpParts(&v)
	for i := range parts {
		for j := range parts[i].Lines {
			if l := &parts[i].Lines[j]; v.QueryURL != nil {
				l.URL = v.QueryURL(l.Query)
			}
		}
	}
	return in.render(w, "help", struct {
		frame
		Parts []helpPart
	}{f, parts})
}

// helpParts returns the query language of query.Parse, ordered by the reader's purpose. The texts are the
// messages help.*; the queries are the same in every language.
func (x *catalog) helpParts(v *HelpView) []helpPart {
	say := x.say
	line := func(queryText, key string) helpLine { return helpLine{Query: queryText, Finds: say("help." + key)} }
	forms := []string{say("help.forms_off")}
	if v.Forms {
		forms = []string{say("help.forms_on"), say("help.spellings")}
	}
	words, both := say("help.words_any"), line("+full +vacuum", "both_any")
	if v.All {
		words, both = say("help.words_all"), line("full vacuum", "both_all")
	}
	order := say("help.order_relevance")
	if v.ASPseek {
		order = say("help.order_aspseek")
	}
	return []helpPart{
		{
			ID: "words", Title: say("help.words"),
			Text: []string{words},
			Lines: []helpLine{
				both,
				line("vacuum OR analyze", "or"),
				line("vacuum -full", "not"),
				line("(vacuum OR analyze) table", "parentheses"),
			},
			After: append(forms, say("help.ignored")),
		},
		{
			ID: "phrases", Title: say("help.phrases"),
			Lines: []helpLine{
				line(`"full table scan"`, "phrase"),
				line(`"vacuum * table"`, "phrase_gap"),
				line(`"full (table OR index) scan"`, "phrase_or"),
				line("pg_stat_activity", "phrase_joined"),
				line(`vacuum -"full table"`, "phrase_not"),
			},
		},
		{
			ID: "patterns", Title: say("help.patterns"),
			Text: []string{say("help.patterns_text", "characters", query.Count{N: v.MinFixedPatternLength, Noun: "character"})},
			Lines: []helpLine{
				line("checkpoint*", "pattern"),
				line("normali?e", "pattern_one"),
			},
		},
		{
			ID: "sections", Title: say("help.sections"),
			Text: []string{say("help.sections_text")},
			Lines: []helpLine{
				line("title:vacuum", "title"),
				line(`body:"dead tuples"`, "body"),
				line("desc:replication", "description"),
				line("keywords:index", "keywords"),
				line("title:desc:(backup OR restore)", "title_description"),
			},
		},
		{
			ID: "sites", Title: say("help.sites"),
			Lines: []helpLine{
				line("vacuum site:"+v.Site, "site"),
				line("vacuum -site:"+v.Site, "not_site"),
				line("vacuum (site:"+v.Site+" OR site:example.net)", "either_site"),
				line("link:http://"+v.Site+"/", "link"),
			},
			After: []string{say("help.only_sites")},
		},
		{
			ID: "kinds", Title: say("help.kinds"),
			Lines: []helpLine{
				line("vacuum lang:en", "language"),
				line("vacuum filetype:html", "type"),
				line("vacuum -filetype:text", "not_type"),
				line("vacuum inurl:docs", "address"),
			},
		},
		{
			ID: "order", Title: say("help.order"),
			Text: []string{order, say("help.order_explain"), say("help.order_sites")},
		},
		{
			ID: "limits", Title: say("help.limits"),
			Text: []string{say("help.limits_text", "bytes", query.MaxBytes, "words", query.MaxTerms, "results", search.MaxResults)},
		},
	}
}
