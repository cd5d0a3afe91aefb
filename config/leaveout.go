package config

import "strings"

// LeaveOut is a LeaveOut line of sets.cnf: selectors of elements that are not content.
type LeaveOut struct {
	Selectors []string // as written; nil for none
	File      string
	Line      int
}

// leaveOut reads a LeaveOut line, which replaces the one before.
func (r *setsReader) leaveOut(d directive) error {
	switch {
	case len(d.args) == 0:
		return reasonf("no value; write: LeaveOut .menu #sidebar, or: LeaveOut none")
	case len(d.args) == 1 && strings.EqualFold(d.args[0], "none"):
		r.next.LeaveOut = LeaveOut{}
		return nil
	}
	r.next.LeaveOut = LeaveOut{d.args, d.file, d.line}
	return nil
}
