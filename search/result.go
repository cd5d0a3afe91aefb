package search

import (
	"time"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
)

// Order is the order of results: best or newest first (s=rate, s=date).
type Order int

// The orders.
const (
	ByRank Order = iota
	ByDate       // by the time of the last change (docdates.modified); documents without a date come last
)

// Grouping is how the results of one site stand to each other.
type Grouping int

// The groupings.
const (
	NoGroups   Grouping = iota // all results are in their order (gr=off)
	MixedSites                 // few results of a site follow each other (mix.go); for ByRank
	SiteGroups                 // a site is one result, which shows its two best documents, as in ASPseek (gr=on)
)

// Ranking is the way in which the ranks of documents are computed (Ranking of searchd.conf).
type Ranking int

// The rankings.
const (
	ByRelevance Ranking = iota // rank.go
	ByASPseek                  // rank_aspseek.go; documents must have all words
)

// Dates limit results to documents that last changed between From and To, both included. A zero time is no
// limit on that side. With any limit, documents without a date are excluded.
type Dates struct{ From, To time.Time }

// A Request is a search: the query, its filters, and the part of the result to show.
type Request struct {
	Query *query.Query
	// Address is the query if it is nothing but an address (http, https, file). The document there is the first result.
	Address string

	// Filters. Empty fields do not limit; a document must pass all others.
	Sites   []string // any of these sites, as in table sites: http://host[:port]/ (ul)
	Subsets []string // any of these subsets, by mask as in table subsets, or #N for subset number N (ul)
	Spaces  []int32  // any of these web spaces (sp)
	Dates   Dates

	// Filters by the values of facets.
	SiteIDs   []int32  // any of these sites (st)
	Languages []string // any of these languages, two letters (lang)
	Types     []string // any of these types, as document_type in SQL names them (type)
	Tags      []int32  // any of these tags (tag)
	Path      string   // the path begins with it (path)

	Facets bool      // fill Result.Facets (facets)
	Now    time.Time // end of the spans of the facet of dates; zero = now

	All     bool // documents must have all words, not any of them
	Ranking Ranking
	Order   Order
	Group   Grouping // gr
	Page    int      // from 0
	PerPage int      // 1 to MaxPerPage; counts groups with SiteGroups. 0 = DefaultPerPage

	Forms []string // also find other forms of the words in these languages (FormLanguages, DocumentLanguages) (fm)
	// NoSynonyms leaves out the synonyms of the vocabulary (fm=off).
	NoSynonyms bool
	// Flat ignores the ordinal of a word in its section (ad=off; AccountDistance no).
	Flat bool

	Excerpts      int  // maximum number for each document; 0 = none
	ExcerptLength int  // approximate length of each, in characters; 0 = 200
	Explain       bool // fill Hit.Parts
}

// Limits of the results that are shown (B39).
const (
	MaxPerPage     = 100
	MaxResults     = 1000 // results that can be reached by paging
	DefaultPerPage = 20
)

// A Result is one page of results.
type Result struct {
	Sites   int          // sites with a match
	URLs    int          // matching documents of all sites: those with all words if there are any
	AllURLs int          // documents with all words
	AnyURLs int          // documents with any word
	More    bool         // there are more than AnyURLs
	Grouped bool         // SiteGroups, and more than one site matched; MixedSites, and the best are of several sites
	Pages   int          // number of pages, up to MaxResults results
	Facets  []Facet      // if Request.Facets is set
	Hits    []Hit        // best first; documents of one group follow each other
	Words   []WordCount  // of the query, in its order, each once
	Notes   []query.Note // of the query and of the evaluation
	Spell   []Suggestion // for words that are in no document
	// KeyMatches are links of the vocabulary, on the first page.
	KeyMatches []KeyMatch
	Took       time.Duration // time in the engine, including the database
}

// A WordCount has the frequency of a word or pattern of the query in the index, regardless of the rest of the
// query.
type WordCount struct {
	Text        string   // Word.Text or Pattern.Text
	URLs, Total int64    // documents, and occurrences in them
	Words       int      // number of words that a pattern matches; 1 for a word
	Synonyms    []string // that are also searched; not counted
}

// A Suggestion is a word of the index that may be meant by a word that is not in the index.
type Suggestion struct {
	Word, Instead string
	Used          bool // documents with Instead were found
}

// A Hit is a document that was found.
type Hit struct {
	URLID, SiteID int32
	URL           string
	Title         string // may be empty
	Description   string
	Keywords      string
	Text          string // beginning of the body
	Size          int    // bytes
	ContentType   string // with parameters
	Charset       string
	Lang          string // two letters, or empty
	LastModified  string // the header as received, may be empty
	Modified      time.Time
	CRC           string
	Status        int32 // packed status, with the loss (store.Status)

	All      bool              // it has all words
	Rank     uint32            // higher is better; for ByDate, the date in epoch seconds
	Parts    *Parts            // parts of the rank; nil unless Request.Explain
	InSite   int               // matching documents of its site, if it is the first of its group or documents of the site were put back; else 0
	First    bool              // first of its group; always true without SiteGroups
	Clones   []Clone           // documents with the same content, at most MaxClones
	MoreOf   int               // number of further clones
	NoCopy   bool              // the document forbids cached copies (noarchive)
	Excerpts []snippet.Excerpt // none for a document with nosnippet
}

// MaxClones is the number of clones that a hit lists.
const MaxClones = 5

// A Clone is another address of the same content.
type Clone struct {
	URLID int32
	URL   string
}
