package store

// The bits of urlstate.index_mode that say how a document's words were read; the lower ones are those of the spider.
const (
	modeCharsets = 10 // to 15: the number of the Charset of its Server (document.CharsetNumber), 0 = none

	// ModeCharset masks it.
	ModeCharset = 1<<16 - 1<<modeCharsets

	// What was left out.

	ModeMain  = 1 << 16 // what is not content
	ModeStart = 1 << 17 // but not header and footer: the start page of a site
	modeLists = 18      // from here on the number of the list in wordrules.leave_out, 0 = none

	// ModeReading masks all of them.
	ModeReading = 1<<31 - 1<<modeCharsets
	// MaxLeaveOut is the largest number of a list.
	MaxLeaveOut = 1<<(31-modeLists) - 1
)

// ModeOfList returns the bits of a list.
func ModeOfList(number int) int { return number << modeLists }

// ModeOfCharset returns the bits of a charset.
func ModeOfCharset(number int) int { return number << modeCharsets }

// CharsetOfMode returns the number of the charset of a document.
func CharsetOfMode(mode int) int { return mode & ModeCharset >> modeCharsets }

// LeaveOutSQL selects the selectors of a document's list; s is its row of urlstate. The lists are read once for all documents.
const LeaveOutSQL = `coalesce((SELECT r.leave_out FROM wordrules r)[s.index_mode >> 18], '')`

// HowRead says how the words of a document were read from its content.
type HowRead struct {
	Mode      int    // urlstate.index_mode
	Selectors string // of its list
}
