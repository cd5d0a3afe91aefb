package store

// Status is urlword.status: the last good status, and for a lost document the error and the number of runs
// that met it. See docs/reference/behavior.md, Status numbers.
type Status int32

// Base returns the last good status: 200 for a document that is lost now.
func (s Status) Base() int { return int(s) & 0xffff }

// Lost returns the error of a lost document, 0 when it is not lost.
func (s Status) Lost() int { return int(s) >> 16 & 0x7ff }

// LostCount returns in how many runs the document was found lost, 0 when it is not lost.
func (s Status) LostCount() int { return int(s) >> 27 & 0xf }

// Lose returns the status of a live document that answered with an error: the base stays, the count rises by
// one, to at most 15.
func (s Status) Lose(code int) Status { return s.lost(code, min(s.LostCount()+1, 15)) }

// LoseAgain is Lose for a further error in the same run: the count stays, because a loss is counted once in a
// run.
func (s Status) LoseAgain(code int) Status { return s.lost(code, max(s.LostCount(), 1)) }

func (s Status) lost(code, count int) Status {
	return Status(s.Base() | code<<16 | count<<27)
}

// Marks by which a document asks not to be shown as a cached copy, and not in excerpts (urlstate.marks).
const (
	NoArchive = "noarchive"
	NoSnippet = "nosnippet"
)
