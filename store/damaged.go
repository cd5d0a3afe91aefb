package store

// Damaged is an error about a stored value that violates its format or contradicts other values. It names the
// table, so that the message can name the remedy.
type Damaged struct {
	Table string // "journal", "docwords", "wordurl", "wordfile", "wordurl1", "rt_urls", "urlwords"
	Err   error  // names the row
}

// Error returns the text of Err.
func (d *Damaged) Error() string { return d.Err.Error() }

// Unwrap returns Err.
func (d *Damaged) Unwrap() error { return d.Err }
