package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// CheckInvariants fails the test for every violation of the rules in the database, with a line for each. It
// reads one snapshot and may be called whenever no transaction is open, also after a crash.
func CheckInvariants(t testing.TB, dsn string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	found, err := Invariants(ctx, dsn)
	if err != nil {
		t.Fatalf("check invariants: %v", err)
	}
	const shown = 30
	for i, line := range found {
		if i == shown {
			t.Errorf("invariant: and %d more", len(found)-shown)
			break
		}
		t.Errorf("invariant: %s", line)
	}
}

// Invariants returns a line for every violation of the rules in the database. It reads the whole database
// into memory and changes nothing.
//
// It is written without any of the program's queries, so that the two check each other. Where rows of journal
// and markdel wait, it checks the state after their merge: the newest entry of a document counts, and a
// citation may be missing or left over only where a waiting row names it.
//
// It does not know the configuration: documents with one content must be clones (as with Clones yes), and
// HistoryKeep is the same for all URLs.
func Invariants(ctx context.Context, dsn string) (found []string, err error) {
	conn, err := openConn(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it has changed nothing
	return invariants(ctx, tx)
}

// invariants is Invariants within a transaction.
func invariants(ctx context.Context, tx pgx.Tx) ([]string, error) {
	d, err := load(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, check := range []func(*database){
		checkSchema, checkKeys, checkURLs, checkWithdrawn, checkHistory, checkText,
		checkContent, checkClones, checkRedirects,
		checkHrefs, checkCitation, checkLabels,
		checkJournal, checkWordurl, checkWordfile, checkRealtime, checkDocwords, checkDocuments, checkDates,
		checkNamers, checkSites, checkSchedules, checkRuns, checkGates,
	} {
		check(d)
	}
	return d.found, checkGroups(ctx, tx, d)
}

// report adds a finding.
func (d *database) report(format string, args ...any) {
	d.found = append(d.found, fmt.Sprintf(format, args...))
}

// name returns a URL as findings show it.
func (d *database) name(id int32) string {
	if u := d.url[id]; u != nil {
		return fmt.Sprintf("url %d %s", id, u.URL)
	}
	return fmt.Sprintf("url %d (no row in urlword)", id)
}

// ascending reports whether a list has its numbers in order, each once.
func ascending(list []int32) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}
