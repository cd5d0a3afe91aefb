package merge

import (
	"context"
	"fmt"

	parser "github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// CheckOptions are the settings of a check.
type CheckOptions struct {
	Memory int64 // memory limit in bytes (MergeMemory); 0 = 256 MB
	// Rules are the rules by which documents were read. With them each document's postings are compared with
	// its stored content; nil = only with its row of docwords.
	Rules  *parser.Rules
	Clones bool // documents with equal content must be clones of one original
	// OlderWords: the words of the index were cut by older rules (wordrules.version). A document whose row agrees with its
	// postings is not damaged then, even if its content has as many others.
	OlderWords bool
	// Report is called with each finding when it is found, by one goroutine at a time.
	Report func(index.Finding) error
	// Progress is called with the name of each part of the work before it begins; may be nil.
	Progress func(part string)
}

// CheckSummary counts the rows that a check has read and its findings.
type CheckSummary struct {
	Findings, Notes int64
	URLs            int64 // rows of urlword
	Documents       int64 // contents read
	Words, Postings int64 // of the inverted index
	Links           int64 // of all pages
	OtherRules      int64 // documents whose words were read by other rules than the current ones
}

// Check verifies the invariants of the whole database and changes nothing: index -X1
// (docs/reference/promises.md, What index -X1 verifies).
//
// It reads one snapshot, so crawls, merges and index -T may continue; unmerged rows of journal, markdel and
// rt_urls are no damage. Everything is read as a stream. The state in memory is 32 bytes a URL of a range of
// URLs, as many as fit into the memory; a larger index is read several times.
//
// Sums show whether docwords mirrors the postings, and the postings the stored contents: every posting of a
// document adds a hash of its word and count to one sum, and of its word and each position to another, in any
// order. Only where sums differ the postings are compared one by one. So a flipped byte that left a blob
// readable is found, too, and also a row of docwords with the fingerprints of other positions, with which a
// merge would skip postings that it must write.
//
// A word that cannot be read, or whose rows contradict each other, is one finding; the documents that have it
// get no further one.
func Check(ctx context.Context, s *index.Store, o CheckOptions) (sum CheckSummary, err error) {
	c := newChecker(ctx, o)
	err = s.Snapshot(ctx, c.run)
	return c.sum, err
}

// checker is a check in progress.
type checker struct {
	*index.Snapshot
	ctx   context.Context // of the whole check: its methods are one long operation
	o     CheckOptions
	rules *parser.Rules
	sum   CheckSummary
	mend  *mendPlan // collects what a mend needs; nil without a mend

	damaged  map[store.WordID]bool // words that are left out of the sums
	from, to int64                 // the range of URLs of this pass
	urls     []urlState            // of from, from+1, ...
	misread  []store.URLID         // documents of this pass whose postings differ from their content
}

// urlState has the sums over the postings of a URL during a pass, and its flags.
type urlState struct {
	counts, positions uint64 // sums of hashes of (word, count) and (word, position)
	words, total      uint32 // its words, their positions
	site              int32
	flags             uint8
}

const (
	known      uint8 = 1 << iota // has a row in urlword
	isLive                       // a live document and no clone
	waits                        // has unmerged journal rows with words, or a mark
	full                         // some of its positions may have been left out
	inDocWords                   // has a row in docwords
	partly                       // has a damaged word: its sums are not those of the whole document
	differs                      // a finding about its words was reported
	moved                        // its row of docwords has fingerprints of other positions
	urlBytes   = 32
)

func newChecker(ctx context.Context, o CheckOptions) *checker {
	o.Memory = Options{Memory: o.Memory}.withDefaults().Memory
	c := &checker{ctx: ctx, o: o, damaged: map[store.WordID]bool{}}
	if o.Rules != nil {
		c.rules = o.Rules.Patient().WithoutMeta() // what is in the index may be there under IgnoreMeta
	}
	return c
}

// run does the check on its snapshot.
func (c *checker) run(v *index.Snapshot) error {
	c.Snapshot = v
	for _, part := range []struct {
		name string
		do   func() error
	}{
		{"rows", func() error { return v.CheckRows(c.ctx, index.CheckOptions{Clones: c.o.Clones}, c.found) }},
		{"journal", c.checkJournal},
		{"real time", c.checkRealtime},
		{"words", c.checkPasses},
		{"links", c.checkLinks},
		{"labels", c.checkLabels},
	} {
		if c.o.Progress != nil {
			c.o.Progress(part.name)
		}
		if err := part.do(); err != nil {
			return fmt.Errorf("check %s: %w", part.name, err)
		}
	}
	if c.sum.OtherRules > 0 {
		return c.found(index.Finding{
			Table: "urlwords", Note: true,
			Text: fmt.Sprintf("%d documents were indexed under other rules than the current ones (StopwordFile, MinWordLength, a newer program)", c.sum.OtherRules),
			Do:   "index --rebuild-index applies the current rules",
		})
	}
	return nil
}

// found counts a finding and reports it.
func (c *checker) found(f index.Finding) error {
	if f.Note {
		c.sum.Notes++
	} else {
		c.sum.Findings++
	}
	if c.o.Report == nil {
		return nil
	}
	return c.o.Report(f)
}

// damage reports a finding that -X2 can mend.
func (c *checker) damage(table, format string, args ...any) error {
	return c.found(index.Finding{Table: table, Text: fmt.Sprintf(format, args...), Do: "index -X2 mends it", Mends: true})
}

// checkPasses compares postings, docwords and contents, a range of URLs at a time.
func (c *checker) checkPasses() error {
	width := max(c.o.Memory/2/urlBytes, 1)
	for c.from = 1; c.from == 1 || c.from <= int64(c.MaxURL); c.from += width {
		c.to = min(c.from+width, int64(c.MaxURL)+1)
		if err := c.pass(); err != nil {
			return err
		}
	}
	c.urls = nil
	return nil
}

func (c *checker) pass() error {
	c.urls = make([]urlState, c.to-c.from)
	err := c.URLs(c.ctx, c.from, c.to, func(url store.URLID, site store.SiteID, document bool) {
		c.sum.URLs++
		u := c.url(int32(url))
		u.site, u.flags = int32(site), known
		if document {
			u.flags |= isLive
		}
	})
	if err != nil {
		return err
	}
	err = c.Waiting(c.ctx, c.from, c.to, func(url store.URLID) { c.url(int32(url)).flags |= waits })
	if err != nil {
		return err
	}
	if err := c.eachWord(c.checkWord); err != nil {
		return err
	}
	if err := c.checkDocWords(); err != nil {
		return err
	}
	if err := c.checkContents(); err != nil {
		return err
	}
	if err := c.nameMoved(); err != nil {
		return err
	}
	return c.checkRemoved()
}

// url returns the state of a URL, nil when it is not in the range of this pass.
func (c *checker) url(id int32) *urlState {
	if at := int64(id) - c.from; at >= 0 && at < int64(len(c.urls)) {
		return &c.urls[at]
	}
	return nil
}

// name returns a URL as findings name it.
func (c *checker) name(url store.URLID) string {
	name := fmt.Sprintf("url %d (no row in urlword)", url)
	err := c.URLNames(c.ctx, []store.URLID{url}, func(_ store.URLID, text string) { name = fmt.Sprintf("url %d %s", url, text) })
	if err != nil {
		return fmt.Sprintf("url %d", url) // the next query fails as well, and its error is reported
	}
	return name
}
