package store

// The bits of urlstate.index_mode that say what was left out of a document's words; the lower ones are those of the spider.
const (
	ModeMain  = 1 << 16 // what is not content
	ModeStart = 1 << 17 // but not header and footer: the start page of a site
	modeLists = 18      // from here on the number of the list in wordrules.leave_out, 0 = none

	// ModeReading masks them.
	ModeReading = 1<<31 - 1<<16
	// MaxLeaveOut is the largest number of a list.
	MaxLeaveOut = 1<<(31-modeLists) - 1
)

// ModeOfList returns the bits of a list.
func ModeOfList(number int) int { return number << modeLists }

// LeaveOutSQL selects the selectors of a document's list; s is its row of urlstate.
const LeaveOutSQL = `coalesce((SELECT r.leave_out[s.index_mode >> 18] FROM wordrules r), '')`

// HowRead says how the words of a document were read from its content.
type HowRead struct {
	Mode      int    // urlstate.index_mode
	Selectors string // of its list
}
