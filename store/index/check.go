package index

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/migrations"
	"github.com/pgseek/pgseek/store"
)

// Finding is something in the database that the rules do not allow.
type Finding struct {
	Table string // where it stands
	Text  string // what is wrong, on one line
	Do    string // what the operator can do about it
	Mends bool   // index -X2 mends it
	Note  bool   // worth knowing, but no damage: a rule that changed, a row that was deleted as docs/schema.md allows
}

// String is the finding as one line.
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

// Snapshot is one state of the whole database, read only. Its methods read one after the other, never at the same time:
// they share a connection.
type Snapshot struct {
	tx pgx.Tx
	// MaxURL is the highest url_id that urlword has.
	MaxURL store.URLID
	// Changes is the state of the index.
	Changes store.Changes
}

// The tables that -C empties, which a snapshot does not keep from us: whoever holds them a little keeps -C waiting.
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

// Snapshot lets f look at the database as it is now, whatever other programs do meanwhile. Nothing is repeated: when the
// connection is lost, f has to begin again.
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

// CheckOptions are settings that say what the tables may hold.
type CheckOptions struct {
	Clones bool // documents with one content are clones of one original
}

// rowCheck is a query for rows that the rules do not allow. It returns one text a finding.
type rowCheck struct {
	table, do string
	note      bool
	sql       string
}

// CheckRows holds every table against the rules that one row, or rows that belong together, can be judged by: keys, URLs,
// statuses, histories, clones, redirects, dates, sites, schedules. What is packed is not looked into. report is called with
// each finding as it comes.
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

// CheckRealtimeRows is the part of CheckRows that is about the real-time index.
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
		return report(Finding{Table: c.table, Text: text, Do: c.do, Note: c.note, Mends: c.do == doMend || c.do == DoRealtime})
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", c.table, err)
	}
	return nil
}

const checkSchemaSQL = `SELECT /* store.Check */ coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`

// checkSchema: the schema is the program's.
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

// likeLiteral lets a text stand for itself in a pattern of LIKE, and shellLiteral in the single quotes of a shell.
var (
	likeLiteral  = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
	shellLiteral = strings.NewReplacer(`'`, `'\''`)
)

// DoFetch is the remedy for a document whose stored content cannot be read: a command for a shell, whatever the URL has in it.
func DoFetch(url string) string {
	return "index -qam -u '" + shellLiteral.Replace(likeLiteral.Replace(url)) + "' fetches it again"
}

// Remedies that several findings share. DoRealtime is that of the real-time index.
const (
	doMend     = "index -X2 mends it"
	DoRealtime = "index -X2 mends it from the journal"
	doFetch    = "index -qam -u URL fetches it again"
	doRebuild  = "index --rebuild-index builds the index again"
	doByHand   = "restore the row from a backup, or run index -C and crawl again"
)
