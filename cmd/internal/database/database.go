// Package database connects index and searchd to the database, and explains failures to connect.
package database

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/embedded"
)

// startVariable is the environment variable that forbids programs to start the embedded server, with the value no. Services set it:
// a server that a service started would end with that service, and not only when its own ends.
const startVariable = "PGSEEK_DB_START"

// DSN returns the connection string of the database: addr or, if it is empty, that of the embedded server in a
// data directory, which is started if it does not run, or with PGSEEK_DB_START=no awaited. Such an error is an EmbeddedError.
func DSN(ctx context.Context, addr, dataDir string) (string, error) {
	if addr != "" {
		return addr, nil
	}
	cluster, err := embedded.Open(dataDir)
	switch {
	case err != nil:
	case os.Getenv(startVariable) == "no":
		err = cluster.Join(ctx)
	default:
		err = cluster.Start(ctx)
	}
	if err != nil {
		return "", EmbeddedError{err}
	}
	return cluster.DSN(), nil
}

// EmbeddedError is a failure of the embedded server: the database is not available (exit code 3).
type EmbeddedError struct{ Cause error }

func (e EmbeddedError) Error() string { return "embedded database: " + e.Cause.Error() }

// Unwrap makes it a store.ErrUnavailable.
func (e EmbeddedError) Unwrap() []error { return []error{store.ErrUnavailable, e.Cause} }

// BadAddress is the reason for refusing a DBAddr that the driver cannot parse, or misparses. The driver's own
// message is not shown: a slash in a password makes it take the beginning of the password for a port, and print
// it.
const BadAddress = "cannot be read as the address of a server; " +
	"in a URL the characters / : @ # ? % of a password are written %2F %3A %40 %23 %3F %25"

// Misread reports whether opening dsn failed because it is no valid address.
func Misread(err error, dsn string) bool {
	return err != nil && (strings.HasPrefix(err.Error(), "open database: cannot parse") || strings.Contains(afterHost(dsn), "@"))
}

// afterHost returns what follows host and port of a URL. If it contains an @, the slash before it belongs to a
// password, and the driver takes the rest of that password for the name of a database.
func afterHost(dsn string) string {
	_, rest, _ := strings.Cut(dsn, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	return path
}

// SQLState returns the server's error code, empty if the error has none.
func SQLState(err error) string {
	var said interface{ SQLState() string }
	if errors.As(err, &said) {
		return said.SQLState()
	}
	return ""
}

// Refused reports whether the server answered but does not allow writing: read-only, no privilege (F20), or no schema to
// write into.
func Refused(err error) bool {
	state := SQLState(err)
	return state == "25006" || state == "42501" || state == "3F000"
}

// ReadOnly reports whether the server is read-only: it is a standby, or default_transaction_read_only is set.
func ReadOnly(err error) bool { return SQLState(err) == "25006" }

// Hint returns what to do about a database that cannot be reached or written. own = it is the embedded one.
func Hint(err error, own bool) string {
	state := SQLState(err)
	switch {
	case errors.Is(err, embedded.ErrNoPrograms):
		return "or set DBAddr in spider.cnf to a running PostgreSQL server"
	case errors.Is(err, embedded.ErrUnreachable):
		return "" // the message says what to do
	case state == "25006" && own:
		return "the embedded server is read-only while it is moved to another PostgreSQL; index --db status shows how far that is"
	case state == "25006":
		return "the server is read-only: a replica, or default_transaction_read_only; DBAddr must name the primary"
	case state == "42501":
		return "the user that DBAddr names must own the tables, and have CREATE and TEMPORARY on the database, as its owner has"
	case state == "3F000":
		return "search_path of the user that DBAddr names has no schema that exists: ALTER ROLE ... SET search_path = public"
	case state == "53100":
		return "make room on the disk of the database server; nothing that was committed is lost, and the next call goes on"
	case state == "53300":
		return "raise max_connections of the database server, or the CONNECTION LIMIT of the user or the database: an index takes up to 16 connections, fewer with less than 6 Threads in spider.cnf"
	case strings.HasPrefix(state, "53"):
		return "the database server has reached a limit of its memory or its settings; nothing that was committed is lost"
	case own:
		return "index --db status shows the embedded server; DBAddr in spider.cnf names another one"
	case strings.HasPrefix(state, "28"): // invalid authorization, whatever the method
		return "give the password in DBAddr (spider.cnf, mode 0600), PGPASSWORD or the password file"
	case state == "3D000":
		return "create it with createdb: encoding UTF8, owned by the user that DBAddr names"
	}
	return "DBAddr (spider.cnf or PGSEEK_DBADDR) names the server; without it an embedded one is started"
}

// WrongSchema reports whether the database has a schema that this program must not touch (exit code 2).
func WrongSchema(err error) bool {
	return errors.Is(err, store.ErrSchemaNewer) || errors.Is(err, store.ErrSchemaOld) || errors.Is(err, store.ErrSchemaForeign)
}

// SchemaHint says what to do about a WrongSchema. addr is DBAddr, empty for the embedded server, whose data directory is dataDir.
func SchemaHint(err error, addr, dataDir string) string {
	switch {
	case errors.Is(err, store.ErrSchemaForeign):
		return "DBAddr must name a database that no other program uses"
	case !errors.Is(err, store.ErrSchemaOld):
		return "use the program that migrated this database, or a newer one"
	case addr == "":
		return "stop the embedded server (index --db stop), remove the folder " + filepath.Join(dataDir, "pg") + ", and call index again"
	}
	name := store.DatabaseName(addr)
	return "drop the database and create it again (dropdb " + name + "; createdb -E UTF8 -T template0 " + name + "), and call index again"
}

// OneLine returns the message of an error on one line. The driver writes a line for each address that it tried,
// and repeats it when it tried with and without TLS.
func OneLine(err error) string {
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), ":; ", ": ")
}
