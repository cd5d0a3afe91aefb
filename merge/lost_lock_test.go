package merge

import (
	"context"
	"errors"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// loseLock ends the connection that holds the merge's lock.
func (w *world) loseLock() {
	w.Helper()
	w.exec(`SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND classid::bigint = 1885827941 AND objid = 2 AND objsubid = 2`)
}

// P3, P15: a rebuild whose lock was lost, and during which a merge ended, writes nothing that it had read
// before. It begins again.
func TestRebuildBeginsAgainAfterAMergeInBetween(t *testing.T) {
	for _, c := range []struct {
		name string
		page int // documents a batch
	}{{"noticed by the next batch", 10}, {"noticed by the swap", 0}} {
		t.Run(c.name, func(t *testing.T) {
			l := newStoredIndex(t)
			s := l.store(l.dsn)
			defer s.Close()
			calls := 0
			sum, err := Rebuild(t.Context(), s, RebuildOptions{Rules: l.rules, Memory: 1000, limits: &small, page: c.page, Progress: func(int64, int64) {
				if calls++; calls > 1 {
					return
				}
				l.loseLock()
				l.document(5, 9) // read already, as it was
				l.mergeAll()
			}})
			if err != nil || sum.Documents != libraryDocuments {
				t.Fatalf("%+v, %v", sum, err)
			}
			if calls <= sum.Batches || c.page > 0 && calls != sum.Batches+1 {
				t.Errorf("%d batches in all, %d of the attempt that counts: it did not begin again", calls, sum.Batches)
			}
			if lines, _ := findings(t, s, CheckOptions{Clones: true, Rules: l.rules}); len(lines) > 0 {
				t.Errorf("after the rebuild: %s", strings.Join(lines, "\n"))
			}
			if n := l.rows(`SELECT count(*) FROM pg_namespace WHERE nspname = 'pgseek_rebuild'`)[0][0]; n != int64(0) {
				t.Error("the schema of the rebuild is left")
			}
			storetest.CheckInvariants(t, l.dsn)
		})
	}
}

// When others change the index repeatedly the rebuild ends with an error, and leaves the index unchanged.
func TestRebuildGivesUp(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	var want []string
	version := int32(8)
	_, err := Rebuild(t.Context(), s, RebuildOptions{Rules: l.rules, limits: &small, Progress: func(int64, int64) {
		l.loseLock()
		version++
		l.document(5, version)
		l.mergeAll()
		want = l.index()
	}})
	if !errors.Is(err, store.ErrIndexChanged) || version != 8+maxAttempts {
		t.Errorf("%v after %d attempts", err, version-8)
	}
	if d := gocmp.Diff(want, l.index()); d != "" {
		t.Errorf("the index was changed (-want +got):\n%s", d)
	}
	storetest.CheckInvariants(t, l.dsn)
}

// A rebuild that was overtaken by another one leaves the tables of that one unchanged.
func TestRebuildBesideAnotherRebuild(t *testing.T) {
	l := newStoredIndex(t)
	want := l.index()
	s, other := l.store(l.dsn), l.store(l.dsn)
	defer s.Close()
	defer other.Close()
	first := true
	_, err := Rebuild(t.Context(), s, RebuildOptions{Rules: l.rules, Memory: 1000, limits: &small, page: 10, Progress: func(int64, int64) {
		if first {
			first = false
			l.loseLock()
			if _, err := Rebuild(t.Context(), other, RebuildOptions{Rules: l.rules, limits: &small}); err != nil {
				t.Error(err)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(want, l.index()); d != "" {
		t.Errorf("rebuilt (-want +got):\n%s", d)
	}
}

// -H writes nothing that follows from links, or from a citation, read before a merge.
func TestRelinkBeginsAgainAfterAMergeInBetween(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	l.exec(`UPDATE citation SET referrers = '{3,5}' WHERE url_id = 6`) // 3 does not link to it
	held, err := s.Lock(t.Context(), "merge")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	attempts := 0
	var done Relinked
	err = retryOnChange(t.Context(), "-H", func() (err error) {
		attempts++
		done, err = relink(t.Context(), s, held, Options{}, func() {
			if attempts > 1 {
				return
			}
			l.loseLock()
			// While the links were read: 3 links to 6 from now on, and its merge has updated citation.
			l.exec(`UPDATE urlwords03 SET hrefs = '{4,6}' WHERE url_id = 3;
				INSERT INTO journal (run_id, url_id, site_id, status, links_added) VALUES (1, 3, 4, 200, '{6}')`)
			l.mergeAll()
		})
		return err
	})
	if err != nil || attempts != 2 || done.Rows != 0 {
		t.Errorf("%d attempts, %+v, %v; want a second one that finds nothing", attempts, done, err)
	}
	if got := l.rows(`SELECT referrers::text FROM citation WHERE url_id = 6`)[0][0]; got != "{3,5}" {
		t.Errorf("citation of 6 is %v, want {3,5}", got)
	}
}

// -X2 whose lock was lost during its check, while a merge ended, mends nothing of its findings.
func TestMendStopsAfterAMergeInBetween(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	l.exec(`UPDATE wordurl SET urlcount = urlcount + 1 WHERE word = 'rare3'`)
	var before []string
	o := MendOptions{Begin: func(context.Context) (store.RunID, error) { return 1, nil }}
	o.Clones, o.Rules = true, l.rules
	o.Progress = func(part string) {
		if part == "labels" { // the last one
			l.loseLock()
			l.document(5, 9)
			l.mergeAll()
			before = l.index()
		}
	}
	if _, err := Mend(t.Context(), s, o); !errors.Is(err, store.ErrIndexChanged) {
		t.Errorf("%v, want ErrIndexChanged", err)
	}
	if d := gocmp.Diff(before, l.index()); d != "" {
		t.Errorf("it wrote (-before +after):\n%s", d)
	}
	o.Progress = nil
	if sum, err := Mend(t.Context(), s, o); err != nil || sum.Left > 0 {
		t.Errorf("the next one: %+v, %v", sum, err)
	}
	if lines, _ := findings(t, s, o.CheckOptions); len(lines) > 0 {
		t.Errorf("after it: %s", strings.Join(lines, "\n"))
	}
}

// P3: a row of the journal without words that is inserted during -X2 prevents no document from being mended.
func TestMendBesideARowOfLinks(t *testing.T) {
	l := newStoredIndex(t)
	s := l.store(l.dsn)
	defer s.Close()
	page, err := s.RereadThese(t.Context(), []store.URLID{5})
	if err != nil || len(page) != 1 {
		t.Fatal(err, len(page))
	}
	l.exec(`INSERT INTO journal (run_id, url_id, site_id, status, links_added) VALUES (1, 5, $1, 200, '{9}')`, siteOf(5))
	l.exec(`UPDATE urlwords05 SET hrefs = '{6,9}' WHERE url_id = 5`)
	d := reparse(page[0], l.rules, nil)
	n, err := s.MendDocuments(t.Context(), store.AnyChanges, 1, []index.Mending{{URL: 5, Words: d.words, Seq: page[0].Seq, Mark: true}})
	if err != nil || n.Rejournalled != 1 {
		t.Errorf("%+v, %v; want one document in the journal again", n, err)
	}
	// A newer version does: its words count.
	l.document(5, 3)
	if n, err = s.MendDocuments(t.Context(), store.AnyChanges, 1, []index.Mending{{URL: 5, Words: d.words, Seq: page[0].Seq, Mark: true}}); err != nil || n.Rejournalled != 0 {
		t.Errorf("%+v, %v; want none", n, err)
	}
}
