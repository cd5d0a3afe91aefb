package store_test

import (
	"errors"
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// breakFirst makes the connection of the first transaction that writes urlword break in its commit.
func (f *frontier) breakFirst() {
	f.t.Helper()
	f.exec(`CREATE SEQUENCE tries`)
	f.exec(`CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		IF nextval('tries') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END $$`)
	f.exec(`CREATE CONSTRAINT TRIGGER broken AFTER UPDATE ON urlword DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION broken()`)
}

// event writes the event of a transaction of a run for a URL that had none.
func (f *frontier) event(id store.URLID, run store.RunID) {
	f.exec(`UPDATE urlstate SET events = events + 1 WHERE url_id = $1`, id)
	f.exec(`INSERT INTO crawl_history (url_id, slot, run_id, rule, result, old_status, new_status, bytes, elapsed_ms, cause)
		VALUES ($1, 0, $2, 'T-10', 0, 0, 0, 0, 0, '')`, id, run)
}

// TestCommitOfUnknownOutcome (P6): when the connection broke during the commit, the transaction is repeated,
// unless the event that it was to write exists. An event of another run is no sign of it. The documents that
// the attempt did not write are still reported.
func TestCommitOfUnknownOutcome(t *testing.T) {
	left := errors.New("left out")
	for _, c := range []struct {
		name string
		by   func(own store.RunID) store.RunID // who writes the event; nil: nobody
		want int                               // how often it is decided
	}{
		{"nothing was written", nil, 2},
		{"another run wrote", func(own store.RunID) store.RunID { return own + 1000 }, 2},
		{"it was committed", func(own store.RunID) store.RunID { return own }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(name string, record func(f *frontier, id store.URLID, decide func(*crawl.DocumentTx) error)) {
				t.Run(name, func(t *testing.T) {
					f := newFrontier(t, "a page status=200", "a other status=200")
					f.begin(crawl.CrawlStart{})
					id, decided := f.id("page"), 0
					f.breakFirst()
					record(f, id, func(d *crawl.DocumentTx) error {
						if decided++; decided == 1 && c.by != nil {
							f.event(id, c.by(f.process.Run.ID))
						}
						d.Postpone(4242)
						return nil
					})
					if decided != c.want {
						t.Errorf("decided %d times, want %d", decided, c.want)
					}
					if got := f.one(`SELECT next_index_time = 4242 FROM urlword WHERE url_id = $1`, id); got != "true" && c.want == 2 {
						t.Error("nothing was written")
					}
				})
			}
			run("crawl", func(f *frontier, id store.URLID, decide func(*crawl.DocumentTx) error) {
				l, _ := f.ask(nil)
				held := crawl.Token{Seq: l.Seq, Attempt: l.Attempt, Run: l.Run}
				if err := f.s.RecordDocument(t.Context(), held, id, 1, crawl.Groups{}, decide); err != nil {
					t.Error(err)
				}
			})
			run("real time", func(f *frontier, id store.URLID, decide func(*crawl.DocumentTx) error) {
				held := crawl.Token{Run: f.process.Run.ID}
				docs := []crawl.Recording{
					crawl.Recording{ID: id, Held: held, Now: 1, Decide: decide}.Realtime(crawl.Realtime{}),
					crawl.Recording{ID: f.id("other"), Held: held, Now: 1, Decide: func(*crawl.DocumentTx) error { return left }}.Realtime(crawl.Realtime{}),
				}
				err := f.s.RecordDocuments(t.Context(), docs)
				if err != nil || docs[0].Err != nil || !errors.Is(docs[1].Err, left) {
					t.Errorf("%v, %v, %v; want no error but what was left out", err, docs[0].Err, docs[1].Err)
				}
			})
		})
	}
}
