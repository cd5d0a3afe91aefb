package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrScheduleLost says that the caller's schedule timed out and was issued to another fetcher. Nothing was
// written (P5).
var ErrScheduleLost = errors.New("schedule lost to another fetcher")

// ErrUnavailable says that the database cannot be reached, or refuses us, after the longest allowed wait
// (exit code 3).
var ErrUnavailable = errors.New("database unavailable")

// ErrUsedUp says that there is no number left for a new URL or site: url_id is below 2^31, site_id below 2^24
// (docs/limits.md). Known ones still work; new ones are refused.
var ErrUsedUp = errors.New("no number is left")

// UsedUp converts the database's refusal of a new number to ErrUsedUp.
func UsedUp(err error, what string) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && (pg.Code == "2200H" || pg.Code == "23514" && pg.ConstraintName == "sites_site_id_check") {
		return fmt.Errorf("%w for another %s", ErrUsedUp, what)
	}
	return err
}

// HeldError says that another process holds a lock (exit code 4).
type HeldError struct {
	What  string    // "merge", "crawl", ...
	Who   string    // host and process id of the holder, empty when unknown
	Since time.Time // zero when unknown
}

// Error names the holder when it is known.
func (e *HeldError) Error() string {
	if e.Who == "" {
		return fmt.Sprintf("another %s is running", e.What)
	}
	return fmt.Sprintf("another %s is running: %s since %s", e.What, e.Who, e.Since.Format(time.DateTime))
}

// RetryClass is the reaction to an error of the database (docs/reference/promises.md, Errors of the
// database).
type RetryClass int

const (
	Fatal          RetryClass = iota // give up: the program cannot repair it
	Conflict                         // roll back and repeat the whole transaction
	ConnectionLost                   // the connection is gone: wait, then repeat
	NoRoom                           // no room or no connections: wait, then repeat
	InvalidValue                     // an error of this document: never repeat unchanged
)

// Classify returns the class of an error by its SQLSTATE.
func Classify(err error) RetryClass {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Fatal
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		switch {
		case pg.Code == "40001", pg.Code == "40P01", pg.Code == "55P03", pg.Code == "57014", pg.Code == "25P03":
			return Conflict
		case pg.Code[:2] == "08", pg.Code == "57P01", pg.Code == "57P02", pg.Code == "57P03", pg.Code == "57P05":
			return ConnectionLost
		case pg.Code[:2] == "53":
			return NoRoom
		case pg.Code == "2200H": // a sequence is at its end, which is no document's fault
			return Fatal
		case pg.Code[:2] == "22", pg.Code[:2] == "23", pg.Code[:2] == "54":
			return InvalidValue
		}
		return Fatal
	}
	var connect *pgconn.ConnectError
	var netErr net.Error
	if errors.As(err, &connect) || errors.As(err, &netErr) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, pgx.ErrTxClosed) || errors.Is(err, driver.ErrBadConn) || pgconn.SafeToRetry(err) {
		return ConnectionLost
	}
	return Fatal
}

// away says in a few words why the database is waited for.
func away(err error) string {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code[:2] != "53" {
		return "database does not answer"
	}
	switch pg.Code {
	case "53100":
		return "the database server has no room on its disk"
	case "53200":
		return "the database server has no memory left"
	case "53300":
		return "the database server has no connection free"
	}
	return "the database server is at a limit"
}

// BadValue reports whether err is the database's refusal of a value: an error of that document or link (P8).
func BadValue(err error) bool { return err != nil && Classify(err) == InvalidValue }

// IsDatabase reports whether an error comes from the database or from the connection to it.
func IsDatabase(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) || errors.Is(err, ErrUnavailable) || Classify(err) == ConnectionLost
}
