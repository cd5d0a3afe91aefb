package filetree

import (
	"errors"
	"fmt"
	"syscall"
)

// The extended statuses of this package (docs/reference/behavior.md, Status numbers).
const (
	StatusNoRead  = 807 // our account may not read it
	StatusPrivate = 908 // others may not read it
	StatusNoFile  = 909 // neither file nor directory, or a link that leads out of the roots

	statusIO   = 704 // the disk or the server of the share does not answer
	statusAway = 707 // the root is not there
)

// PrivateHint is the end of the cause of StatusPrivate.
const PrivateHint = "; FilePrivate yes in spider.cnf would read it"

// Error is a file that is not answered, with an extended status.
type Error struct {
	Code  int
	cause string
	err   error
}

func (e *Error) Error() string { return e.cause }
func (e *Error) Unwrap() error { return e.err }

// Status returns the extended status.
func (e *Error) Status() int { return e.Code }

func failed(code int, format string, args ...any) *Error {
	e := &Error{Code: code, cause: fmt.Errorf(format, args...).Error()}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.err = err
		}
	}
	return e
}

// ErrNone is the error of a path that names nothing.
var ErrNone = errors.New("there is no such file")

// problem returns the error of a system call on a path.
func problem(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, syscall.ENXIO):
		return ErrNone
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return failed(StatusNoRead, "the account of index may not read %s: %w", path, err)
	}
	return failed(statusIO, "%s: %w", path, err)
}
