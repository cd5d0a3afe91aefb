package index

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/migrations"
	"github.com/pgseek/pgseek/store"
)

// Finding is an error in the database: a row that the rules do not allow.
type Finding struct {
	Table string // table of the row
	Text  string // what is wrong, on one line
	Do    string // remedy for the operator
	Mends bool   // index -X2 mends it
	Note  bool   // information, not damage: a rule that changed, a row that was deleted as docs/schema.md allows
}

// String returns the finding as one line.
func (f Finding) String() string {
	line := f.Table + ": " + f.Text
	if f.Note {
		line = "note: " + line
	}
	if f.Do != "" {
		line += "; " + f.Do
	}
	return line
}

// Snapshot is one read-only state of the whole database. Its methods share a connection and must not be
// called concurrently.
type Snapshot struct {
	tx pgx.Tx
	// MaxURL is the highest url_id that urlword has.
	MaxURL store.URLID
	// Changes is the state of the index.
	Changes store.Changes
}

// The tables that -C empties. A snapshot does not protect them from TRUNCATE; a weak lock on them makes -C
// wait.
const holdTablesSQL = `
	LOCK TABLE sites, urlkey, urlword,
		urlwords00, urlwords01, urlwords02, urlwords03, urlwords04, urlwords05, urlwords06, urlwords07,
		urlwords08, urlwords09, urlwords10, urlwords11, urlwords12, urlwords13, urlwords14, urlwords15,
		urlstate, wordurl, wordurl1, wordfile, rt_urls, journal, markdel, docwords, docdates, citation, wordsite,
		totals, subsetstate, subsetdocs, reindexing, schedule, sitestate, site_hold, crawl_history, tmpurl, urlrank
	IN ACCESS SHARE MODE`

const prepareSnapshotSQL = `
	SELECT /* store.Snapshot */ set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_seqscan', 'on', true),
		coalesce((SELECT max(url_id) FROM urlword), 0), coalesce((SELECT changes FROM totals), 0)`

// Snapshot calls f with the current state of the database, which does not change while f runs. Nothing is
// repeated: when the connection is lost, f has to begin again.
func (s *Store) Snapshot(ctx context.Context, f func(*Snapshot) error) error {
	o := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, s.Pool, o, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, holdTablesSQL); err != nil {
			return fmt.Errorf("lock the tables: %w", err)
		}
		snap := &Snapshot{tx: tx}
		if err := tx.QueryRow(ctx, prepareSnapshotSQL).Scan(nil, nil, &snap.MaxURL, &snap.Changes); err != nil {
			return fmt.Errorf("take a snapshot: %w", err)
		}
		return f(snap)
	})
}

// CheckOptions are settings on which the allowed contents of the tables depend.
type CheckOptions struct {
	Clones bool // documents with one content are clones of one original
}

// rowCheck is a query for rows that the rules do not allow. It returns one text for each finding.
type rowCheck struct {
	table, do string
	note      bool
	sql       string
}

// CheckRows checks every table as far as one row, or rows that belong together, show: keys, URLs, statuses,
// histories, clones, redirects, dates, sites, schedules. It does not unpack anything. It calls report with
// each finding at once.
func (v *Snapshot) CheckRows(ctx context.Context, o CheckOptions, report func(Finding) error) error {
	if err := v.checkSchema(ctx, report); err != nil {
		return err
	}
	for _, list := range [][]rowCheck{urlChecks, historyChecks, contentChecks, indexChecks, crawlChecks} {
		for i := range list {
			if err := v.rowCheck(ctx, &list[i], report); err != nil {
				return err
			}
		}
	}
	if !o.Clones {
		return nil
	}
	return v.rowCheck(ctx, &cloneCheck, report)
}

// CheckRealtimeRows is the part of CheckRows for the real-time index.
func (v *Snapshot) CheckRealtimeRows(ctx context.Context, report func(Finding) error) error {
	for i := range indexChecks {
		if indexChecks[i].do == DoRealtime {
			if err := v.rowCheck(ctx, &indexChecks[i], report); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *Snapshot) rowCheck(ctx context.Context, c *rowCheck, report func(Finding) error) error {
	rows, err := v.tx.Query(ctx, c.sql)
	if err != nil {
		return fmt.Errorf("check %s: %w", c.table, err)
	}
	var text string
	_, err = pgx.ForEachRow(rows, []any{&text}, func() error {
		return report(Finding{Table: c.table, Text: text, Do: c.do, Note: c.note, Mends: c.do == doMend || c.do == DoRealtime || c.do == DoFollow})
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", c.table, err)
	}
	return nil
}

const checkSchemaSQL = `SELECT /* store.Check */ coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`

// checkSchema checks that the schema is that of the program.
func (v *Snapshot) checkSchema(ctx context.Context, report func(Finding) error) error {
	newest, err := migrations.Newest(migrations.FS)
	if err != nil {
		return err
	}
	var found int64
	if err := v.tx.QueryRow(ctx, checkSchemaSQL).Scan(&found); err != nil {
		return fmt.Errorf("check the schema: %w", err)
	}
	if found == newest {
		return nil
	}
	return report(Finding{
		Table: "goose_db_version", Text: fmt.Sprintf("schema version %d, the program's is %d", found, newest),
		Do: "use the program version that created it",
	})
}

// likeLiteral escapes a text for a LIKE pattern, and shellLiteral for the single quotes of a shell.
var (
	likeLiteral  = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	shellLiteral = strings.NewReplacer(`'`, `'\''`)
)

// DoFetch returns the remedy for a document whose stored content cannot be read: a command that is safe in a
// shell for any URL.
func DoFetch(url string) string {
	return "index -qam -u '" + shellLiteral.Replace(likeLiteral.Replace(url)) + "' fetches it again"
}

// Remedies that several findings share, or that a mend knows. DoRealtime is that of the real-time index, DoFollow that of a
// redirect to nothing.
const (
	doMend     = "index -X2 mends it"
	DoRealtime = "index -X2 mends it from the journal"
	DoFollow   = "index -X2, then index, follows it again"
	doFetch    = "index -qam -u URL fetches it again"
	doRebuild  = "index --rebuild-index builds the index again"
	doByHand   = "restore the row from a backup, or run index -C and crawl again"
)
