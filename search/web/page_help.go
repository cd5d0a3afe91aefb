package web

import (
	"io"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// HelpView is what the help page shows: the query language with the limits that this server has.
type HelpView struct {
	Frame
	MinFixedPatternLength int                       // as in Options; 0 = the default
	Forms                 bool                      // other forms of words count unless a search says otherwise (WordForms)
	Site                  string                    // a host of the index for the examples; empty = example.org
	QueryURL              func(query string) string // leads to the results of a query; nil = the examples are no links
}

// A helpLine is an example with what it finds.
type helpLine struct{ Query, URL, Finds string }

// helpPart is a chapter of the page.
type helpPart struct {
	ID, Title string
	Text      []string
	Lines     []helpLine
	After     []string
}

// Help writes the page about the query language.
func (p *Pages) Help(w io.Writer, v HelpView) error {
	f := v.frame("help", "Help")
	f.Index = true
	if v.MinFixedPatternLength <= 0 {
		v.MinFixedPatternLength = query.DefaultMinFixedPatternLength
	}
	if v.Site == "" {
		v.Site = "example.org"
	}
	parts := helpParts(&v)
	for i := range parts {
		for j := range parts[i].Lines {
			if l := &parts[i].Lines[j]; v.QueryURL != nil {
				l.URL = v.QueryURL(l.Query)
			}
		}
	}
	return render(w, p.help, struct {
		frame
		Parts []helpPart
	}{f, parts})
}

// helpParts is the query language of Parse (aspseek.md 9.1), by what a person wants.
func helpParts(v *HelpView) []helpPart {
	forms := "Only the words themselves count. With “other forms of the words” chosen, index finds indexes and indexed, too; the exact ones come first."
	if v.Forms {
		forms = "Other forms of a word count, too: index finds indexes and indexed. The exact ones come first."
	}
	return []helpPart{
		{
			ID: "words", Title: "Words",
			Text: []string{"Documents are found that have all of the words, anywhere. Capital letters make no difference."},
			Lines: []helpLine{
				{Query: "full vacuum", Finds: "both words; AND or + between them says the same"},
				{Query: "vacuum OR analyze", Finds: "one of them or both; | says the same"},
				{Query: "vacuum -full", Finds: "the first without the second: a blank before the minus, none behind it"},
				{Query: "(vacuum OR analyze) table", Finds: "parentheses hold alternatives together"},
			},
			After: []string{
				"AND and OR count in capital letters only. " + forms,
				"Words of more than 32 characters, and those that the index leaves out as too common or too short, are left out of the query; the page of results says which.",
			},
		},
		{
			ID: "phrases", Title: "Phrases",
			Lines: []helpLine{
				{Query: `"full table scan"`, Finds: "these words side by side"},
				{Query: `"vacuum * table"`, Finds: "any one word in the place of the *"},
				{Query: `"full (table OR index) scan"`, Finds: "one word or the other in that place"},
				{Query: "pg_stat_activity", Finds: "words that are joined without a blank are a phrase: wi-fi, don't, 3.14"},
				{Query: `vacuum -"full table"`, Finds: "documents without that phrase"},
			},
		},
		{
			ID: "patterns", Title: "Beginnings and gaps",
			Text: []string{"A * stands for any characters or none, a ? for exactly one. " + query.Plural(v.MinFixedPatternLength, "character") +
				" at least must come before the first of them."},
			Lines: []helpLine{
				{Query: "checkpoint*", Finds: "checkpoint, checkpoints, checkpointer"},
				{Query: "normali?e", Finds: "normalise and normalize"},
			},
		},
		{
			ID: "sections", Title: "A part of the document",
			Text: []string{"A prefix says where a word, a phrase or what stands in parentheses is looked for. Prefixes can be joined."},
			Lines: []helpLine{
				{Query: "title:vacuum", Finds: "in the title"},
				{Query: `body:"dead tuples"`, Finds: "in the text"},
				{Query: "desc:replication", Finds: "in the description that the page gives of itself"},
				{Query: "keywords:index", Finds: "in the keywords that the page gives itself"},
				{Query: "title:desc:(backup OR restore)", Finds: "in the title or the description"},
			},
		},
		{
			ID: "sites", Title: "Sites, and who links where",
			Lines: []helpLine{
				{Query: "vacuum site:" + v.Site, Finds: "only on that site; a part of the name between dots is enough"},
				{Query: "vacuum -site:" + v.Site, Finds: "everywhere else"},
				{Query: "vacuum (site:" + v.Site + " OR site:example.net)", Finds: "on either"},
				{Query: "link:http://" + v.Site + "/", Finds: "documents that link to this address; nothing else can stand beside it"},
			},
			After: []string{"A query of sites alone, or of exclusions alone, finds nothing: say what should be found there."},
		},
		{
			ID: "order", Title: "What comes first",
			Text: []string{
				"The place of the words counts first: the title before the keywords, these before the description, that before the text. Then whether the words stand together, and, outside of the text, how near to the beginning they are. Then how much other documents link there, and in the text how often the words are there.",
				"“Explain the order of these results”, below them, shows this for each. “Newest first” orders by the date of the last change instead.",
				"At most two documents of a site stand together, so that one site does not fill the page; the line below them leads to all of them.",
			},
		},
		{
			ID: "limits", Title: "Limits",
			Text: []string{"A query may have " + grouped(query.MaxBytes) + " bytes and " + grouped(query.MaxTerms) + " words, and the first " + grouped(search.MaxResults) + " results can be looked through. What is wrong with a query is said with the place where it is."},
		},
	}
}
