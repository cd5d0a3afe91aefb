package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/realtime"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestRetryAfterAConflict (P6): a document transaction that met a conflict was not committed, whatever others
// have recorded for the URL meanwhile. It is decided again.
func TestRetryAfterAConflict(t *testing.T) {
	for _, kind := range []string{"crawl", "real time"} {
		t.Run(kind, func(t *testing.T) {
			f := newFrontier(t, "a page status=200")
			f.begin(crawl.CrawlStart{})
			l, _ := f.ask(nil)
			f.exec(`INSERT INTO urlstate (url_id, events) SELECT url_id, 1 FROM urlword ON CONFLICT DO NOTHING`)
			f.exec(`CREATE SEQUENCE tries`)
			f.exec(`CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				IF nextval('tries') = 1 THEN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$`)
			f.exec(`CREATE TRIGGER conflict BEFORE UPDATE ON urlword FOR EACH ROW EXECUTE FUNCTION conflict()`)
			decided := 0
			one := crawl.Recording{
				ID: f.id("page"), Held: crawl.Token{Seq: l.Seq, Attempt: l.Attempt, Run: l.Run}, Now: f.process.Run.Start,
				Decide: func(d *crawl.DocumentTx) error {
					if decided++; decided == 1 {
						f.exec(`UPDATE urlstate SET events = events + 1`) // another program
					}
					d.Postpone(4242)
					return nil
				},
			}
			if kind == "real time" {
				one.Held.Seq = 0
				one = one.Realtime(crawl.Realtime{})
			}
			docs := []crawl.Recording{one}
			err := f.s.RecordDocuments(t.Context(), docs)
			if err != nil || docs[0].Err != nil || decided != 2 {
				t.Errorf("decided %d times, %v, %v; want 2", decided, err, docs[0].Err)
			}
			if got := f.one(`SELECT next_index_time FROM urlword`); got != "4242" {
				t.Errorf("next_index_time %s: nothing was written", got)
			}
		})
	}
}

// TestUnchangedAreLockedInOrder: documents that are recorded together are locked in the order of their ids,
// so that two transactions never deadlock.
func TestUnchangedAreLockedInOrder(t *testing.T) {
	f := newFrontier(t, "a p1 status=200", "a p2 status=200", "a p3 status=200")
	f.begin(crawl.CrawlStart{})
	l, _ := f.ask(nil)
	held := crawl.Token{Seq: l.Seq, Attempt: l.Attempt, Run: l.Run}
	var list []crawl.Unchanged
	for i := range l.URLs {
		list = append([]crawl.Unchanged{{Held: held, Due: &l.URLs[i], Now: 1, Attempt: crawl.Attempt{Rule: "T-03", Result: 200}}}, list...)
	}
	other, err := f.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(t.Context(), `SELECT 1 FROM urlword WHERE url_id = $1 FOR UPDATE`, f.id("p1")); err != nil {
		t.Fatal(err)
	}
	done := make(chan map[store.URLID]bool, 1)
	ctx := t.Context()
	go func() {
		recorded, err := f.s.RecordUnchanged(ctx, l.Run, list)
		if err != nil {
			t.Error(err)
		}
		done <- recorded
	}()
	for f.one(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%store.RecordUnchanged%'`) != "1" {
		time.Sleep(time.Millisecond)
	}
	if got := f.one(`SELECT count(*) FROM (SELECT 1 FROM urlword WHERE url_id <> $1 FOR UPDATE SKIP LOCKED) q`, f.id("p1")); got != "2" {
		t.Errorf("%s of the later URLs are free while the first is waited for, want 2", got)
	}
	if err := other.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if recorded := <-done; len(recorded) != 3 {
		t.Errorf("recorded %v", recorded)
	}
}

// TestClearEmptiesEverything: -C empties every table but those of the list, also tables added later. An
// emptied table has a new file.
func TestClearEmptiesEverything(t *testing.T) {
	dsn := storetest.New(t)
	s, pool := openStore(t, dsn), storetest.Connect(t, dsn)
	files := func() map[string]uint32 {
		all := map[string]uint32{}
		rows, err := pool.Query(t.Context(), `SELECT relname, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			var file uint32
			if err := rows.Scan(&name, &file); err != nil {
				t.Fatal(err)
			}
			all[name] = file
		}
		return all
	}
	before := files()
	if err := index.New(s).Clear(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for name, file := range files() {
		if before[name] == file {
			kept[name] = true
		}
	}
	want := map[string]bool{
		"goose_db_version": true, // the schema
		"subsets":          true, // written by the operator
		"stat":             true, // query statistics
		"crawl_control":    true, // one row, whose values are reset
		"rankstate":        true, // likewise
		"totals":           true, // likewise
		"suggestions":      true, // of stat
		"suggestionstate":  true,
		"wordrules":        true, // one row, of the configuration
	}
	if d := cmp.Diff(want, kept); d != "" {
		t.Errorf("tables that -C keeps (-want +got):\n%s", d)
	}
}

// TestWordsOfAFailedCommit: the id that a word got in a transaction that was not committed is unused. When
// another writer creates the word before the next attempt, its id counts, now and from the cache (P6).
func TestWordsOfAFailedCommit(t *testing.T) {
	f := newFrontier(t, "a page")
	// The first commit waits for another transaction that creates words, and fails.
	f.exec(`CREATE SEQUENCE tried; CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF NEW.word_id <> 777777 AND nextval('tried') = 1 THEN
			WHILE NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 103 AND NOT granted) LOOP
				PERFORM pg_sleep(0.002);
			END LOOP;
			RAISE EXCEPTION 'the commit fails' USING ERRCODE = '40001';
		END IF;
		RETURN NULL; END $$;
		CREATE CONSTRAINT TRIGGER fail_once AFTER INSERT ON wordurl DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail_once()`)
	other := make(chan error, 1)
	ctx := t.Context()
	go func() { // as a merge's second try does
		var held bool
		for !held {
			if err := f.pool.QueryRow(ctx, `SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND objid = 103 AND granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&held); err != nil {
				other <- err
				return
			}
		}
		_, err := f.pool.Exec(ctx, `DO $$ BEGIN PERFORM pg_advisory_xact_lock(1885827941, 103);
			INSERT INTO wordurl (word, word_id) VALUES ('zebra', 777777); END $$`)
		other <- err
	}()
	packed := store.PackWords([]store.Word{{Text: "zebra", Positions: []uint16{1}}})
	for range 2 { // the second one is answered by the cache
		x, err := f.s.IndexWords(t.Context(), packed)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%+v", *x[0]); !strings.Contains(got, "ids:[777777]") {
			t.Errorf("indexed as %s, but wordurl has %s", got, f.one(`SELECT word_id FROM wordurl WHERE word = 'zebra'`))
		}
	}
	if err := <-other; err != nil {
		t.Error(err)
	}
}

// TestWordsOfAnUnknownCommit: the words of a commit whose answer was lost exist, with the ids from it.
func TestWordsOfAnUnknownCommit(t *testing.T) {
	f := newFrontier(t, "a page")
	s, cut := cutAfterCommit(t, f.dsn)
	cut.Store(true)
	x, err := realtime.New(s).IndexWords(t.Context(), store.PackWords([]store.Word{{Text: "zebra", Positions: []uint16{1}}}))
	if err != nil || cut.Load() {
		t.Fatalf("%v; the connection was cut: %v", err, !cut.Load())
	}
	want := "ids:[" + f.one(`SELECT word_id FROM wordurl WHERE word = 'zebra'`) + "]"
	if got := fmt.Sprintf("%+v", *x[0]); !strings.Contains(got, want) {
		t.Errorf("indexed as %s, want %s", got, want)
	}
}
