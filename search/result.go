package search

import (
	"time"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
)

// Order is the order of results, best or newest first (s=rate, s=date).
type Order int

// The orders.
const (
	ByRank Order = iota
	ByDate       // by when a document last changed (docdates.modified); those without a date come last
)

// Dates limit results to documents that last changed between From and To, both included. The zero value of either is no
// limit on that side. With a limit, documents without a date are left out (aspseek.md 9.2).
type Dates struct{ From, To time.Time }

// A Request says what to find, where, and which part of it to show.
type Request struct {
	Query *query.Query

	// Where. What is empty does not limit; of what is not, all must hold.
	Sites   []string // any of these sites, as in table sites: http://host[:port]/ (ul)
	Subsets []string // any of these subsets, by mask as in table subsets, or #N for subset number N (ul)
	Spaces  []int32  // any of these web spaces (sp)
	Site    int32    // this site (st); 0 = all
	Dates   Dates

	Order   Order
	Group   bool // at most two documents of a site stand together, with the number of all of them (gr)
	Page    int  // from 0
	PerPage int  // 1 to MaxPerPage; groups when they are grouped. 0 = DefaultPerPage

	Forms []string // fm: other forms of the words in these languages (FormLanguages) count, too; exact ones first
	// Flat leaves out of the weight at what place of its section a word stands (ad=off; AccountDistance no).
	Flat bool

	Excerpts      int  // at most so many of each document; 0 = none
	ExcerptLength int  // characters each, about; 0 = 200
	Explain       bool // Hit.Parts
}

// Limits of what is shown (reliability.md B39).
const (
	MaxPerPage     = 100
	MaxResults     = 1000 // deep
	DefaultPerPage = 20
)

// A Result is one page of what was found.
type Result struct {
	Sites   int           // that have a match
	URLs    int           // documents that match, all sites together
	Grouped bool          // Request.Group, and more than one site matched
	Pages   int           // there are, MaxResults deep at most
	Hits    []Hit         // best first; documents of one group follow each other
	Words   []WordCount   // of the query, in its order, each once
	Notes   []query.Note  // those of the query, and what the index has to say
	Spell   []Suggestion  // for words that no document has
	Took    time.Duration // in the engine, the database included
}

// A WordCount says how much a word or pattern of the query is in the index, whatever else the query asks for.
type WordCount struct {
	Text        string // as Word.Text and Pattern.Text
	URLs, Total int64  // documents, and occurrences in them
	Words       int    // that a pattern fits; 1 for a word
}

// A Suggestion is a word of the index instead of one that is not in it.
type Suggestion struct{ Word, Instead string }

// A Hit is a document that was found.
type Hit struct {
	URLID, SiteID int32
	URL           string
	Title         string // may be empty
	Description   string
	Keywords      string
	Text          string // how the body begins
	Size          int    // bytes
	ContentType   string // with parameters
	Charset       string
	Lang          string // two letters, or empty
	LastModified  string // the header as received, may be empty
	Modified      time.Time
	CRC           string
	Status        int32 // with the lost part (store.Status)

	Rank     uint32            // aspseek.md 9.3, 7: more is better; for ByDate, the date in seconds
	Parts    *Parts            // of the rank; nil unless Request.Explain
	InSite   int               // documents of its site that match, when grouped and first of its group; else 0
	First    bool              // of its group; always true when not grouped
	Clones   []Clone           // documents with the same content, at most MaxClones
	MoreOf   int               // clones beyond these
	NoCopy   bool              // it asks that no copy of it be shown
	Excerpts []snippet.Excerpt // none for a document that asks for none
}

// MaxClones is the number of clones that a hit lists.
const MaxClones = 5

// A Clone is another address of the same content.
type Clone struct {
	URLID int32
	URL   string
}
