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

// helpParts returns the query language of query.Parse, ordered by the reader's purpose.
func helpParts(v *HelpView) []helpPart {
	forms := "Only the exact words match. With “other forms of the words”, index also finds indexes and indexed. Exact matches count more."
	if v.Forms {
		forms = "Other forms of a word match, too: index finds indexes and indexed. Exact matches count more."
	}
	words := "A search finds the documents that contain any of the words, anywhere, those with all and with the rare ones first. " +
		"As long as a document has all of them, only such documents are counted as found. Case does not matter."
	two := helpLine{Query: "+full +vacuum", Finds: "only documents with both words; AND between them means the same"}
	if v.All {
		words = "A search finds the documents that contain all of the words, anywhere. Case does not matter."
		two = helpLine{Query: "full vacuum", Finds: "both words; AND or + between them means the same"}
	}
	return []helpPart{
		{
			ID: "words", Title: "Words",
			Text: []string{words},
			Lines: []helpLine{
				two,
				{Query: "vacuum OR analyze", Finds: "one of them or both; | means the same"},
				{Query: "vacuum -full", Finds: "the first without the second; put a space before the minus and none after it"},
				{Query: "(vacuum OR analyze) table", Finds: "parentheses group alternatives"},
			},
			After: []string{
				"AND and OR must be in capital letters. " + forms,
				"The query ignores words of more than 32 characters, and words that the index omits because they are too common or too short. The page of results names them.",
			},
		},
		{
			ID: "phrases", Title: "Phrases",
			Lines: []helpLine{
				{Query: `"full table scan"`, Finds: "these words side by side"},
				{Query: `"vacuum * table"`, Finds: "any one word in place of the *"},
				{Query: `"full (table OR index) scan"`, Finds: "one word or the other in that place"},
				{Query: "pg_stat_activity", Finds: "of words joined without a space, documents in which they stand so come first: wi-fi, don't, 3.14"},
				{Query: `vacuum -"full table"`, Finds: "documents without that phrase"},
			},
		},
		{
			ID: "patterns", Title: "Beginnings and gaps",
			Text: []string{"A * matches any number of characters, a ? inside a word exactly one. " + query.Plural(v.MinFixedPatternLength, "character") +
				" at least must precede the first of them."},
			Lines: []helpLine{
				{Query: "checkpoint*", Finds: "checkpoint, checkpoints, checkpointer"},
				{Query: "normali?e", Finds: "normalise and normalize"},
			},
		},
		{
			ID: "sections", Title: "A part of the document",
			Text: []string{"A prefix limits a word, a phrase or parentheses to a section of the document. Prefixes can be combined."},
			Lines: []helpLine{
				{Query: "title:vacuum", Finds: "in the title"},
				{Query: `body:"dead tuples"`, Finds: "in the text"},
				{Query: "desc:replication", Finds: "in the page's own description"},
				{Query: "keywords:index", Finds: "in the page's own keywords"},
				{Query: "title:desc:(backup OR restore)", Finds: "in the title or the description"},
			},
		},
		{
			ID: "sites", Title: "Sites, and who links where",
			Lines: []helpLine{
				{Query: "vacuum site:" + v.Site, Finds: "only on that site; one label of its name is enough"},
				{Query: "vacuum -site:" + v.Site, Finds: "everywhere else"},
				{Query: "vacuum (site:" + v.Site + " OR site:example.net)", Finds: "on either of them"},
				{Query: "link:http://" + v.Site + "/", Finds: "documents that link to this address; cannot be combined with other terms"},
			},
			After: []string{"A query with only sites or only exclusions finds nothing. Add a word to search for."},
		},
		{
			ID: "order", Title: "What comes first",
			Text: []string{
				"Results are ordered by the section that contains the words: title, keywords, description, then text. Next comes whether the words form a phrase and, outside of the text, how near they are to the beginning. Last come the links from other documents and, in the text, the number of occurrences.",
				"“Explain the order of these results” below the results shows this for each. “Newest first” orders by the date of the last change instead.",
				"At most two documents of a site are shown together, so that one site does not fill the page. The link below them shows all.",
			},
		},
		{
			ID: "limits", Title: "Limits",
			Text: []string{"A query can have " + grouped(query.MaxBytes) + " bytes and " + grouped(query.MaxTerms) + " words. The first " + grouped(search.MaxResults) + " results can be shown. An error in a query is shown with its position."},
		},
	}
}
