package store

// Damaged is an error about something stored that does not follow its format, or contradicts the rest. It says where, so that
// whoever tells the user can say what to do.
type Damaged struct {
	Table string // "journal", "docwords", "wordurl", "wordfile", "wordurl1", "rt_urls", "urlwords"
	Err   error  // names the row
}

// Error is that of Err.
func (d *Damaged) Error() string { return d.Err.Error() }

// Unwrap returns Err.
func (d *Damaged) Unwrap() error { return d.Err }
