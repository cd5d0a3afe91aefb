package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// TestSearchVersions: the version of a document changes whenever Documents returns something else for it, and
// the versions of others stay. The current state is returned as by Now.
func TestSearchVersions(t *testing.T) {
	s, pool := newSearch(t)
	urls := []store.URLID{2, 1, 99, 5}
	type answer struct {
		versions  map[store.URLID]lookup.DocumentVersion
		now       lookup.SearchNow
		documents map[store.URLID]lookup.SearchDocument
	}
	look := func() (a answer) {
		t.Helper()
		a.versions, a.documents = map[store.URLID]lookup.DocumentVersion{}, map[store.URLID]lookup.SearchDocument{}
		err := s.Search(t.Context(), func(x *lookup.Tx) (err error) {
			a.now, err = x.Versions(t.Context(), 100, urls, func(u store.URLID, v lookup.DocumentVersion) { a.versions[u] = v })
			if err != nil {
				return err
			}
			x.Now(100, func(now lookup.SearchNow) {
				if diff := cmp.Diff(now, a.now); diff != "" {
					t.Errorf("what counts at once (-Now +Versions):\n%s", diff)
				}
			})
			x.Documents(urls, urls, 2, func(d lookup.SearchDocument) {
				a.documents[d.URL] = d
				if d.Version != a.versions[d.URL] {
					t.Errorf("url %d: version %v as a document, %v else", d.URL, d.Version, a.versions[d.URL])
				}
			})
			return x.SendLast(t.Context())
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	before := look()
	if len(before.versions) != 3 || len(before.documents) != 2 || before.versions[1].Clones != 3 || before.versions[2].Dates != 0 {
		t.Fatalf("versions %v", before.versions)
	}
	for _, c := range []struct {
		what, sql string
		changed   []store.URLID
	}{
		{"nothing", `SELECT 1`, nil},
		{"a transaction that rolls back", `DO $$ BEGIN UPDATE urlword SET crc = 'x'; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN END $$`, nil},
		{"somebody who only locks", `SELECT FROM urlword WHERE url_id = 1 FOR UPDATE`, nil},
		{"a new version", `UPDATE urlword SET crc = 'c2' WHERE url_id = 2; UPDATE urlwords02 SET title = 'New', words = '\xffffffff43' WHERE url_id = 2`, []store.URLID{2}},
		{"a date", `UPDATE docdates SET modified = now() WHERE url_id = 1`, []store.URLID{1}},
		{"the first date", `INSERT INTO docdates (url_id, created, modified, modified_from) VALUES (2, now(), now(), 'fetch')`, []store.URLID{2}},
		{"a mark", `UPDATE urlstate SET marks = '{nosnippet}' WHERE url_id = 1`, []store.URLID{1}},
		{"a clone that leaves while another one comes", `UPDATE urlword SET status = 404 WHERE url_id = 9; UPDATE urlword SET status = 200 WHERE url_id = 11`, []store.URLID{1}},
		{"a clone that is withdrawn", `UPDATE urlword SET deleted = 1 WHERE url_id = 10`, []store.URLID{1}},
		{"a clone of another address", `UPDATE urlword SET url = 'http://a.example.org/eight' WHERE url_id = 8`, []store.URLID{1}},
		{"an original that becomes a clone", `UPDATE urlword SET origin = 1 WHERE url_id = 5`, []store.URLID{1, 5}},
		{"a document that is purged", `DELETE FROM urlword WHERE url_id = 2`, []store.URLID{2}},
	} {
		if _, err := pool.Exec(t.Context(), c.sql); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		now := look()
		var changed []store.URLID
		for _, u := range []store.URLID{1, 2, 5, 99} {
			if before.versions[u] != now.versions[u] {
				changed = append(changed, u)
			} else if diff := cmp.Diff(before.documents[u], now.documents[u]); diff != "" {
				t.Errorf("%s: url %d of the same version (-before +after):\n%s", c.what, u, diff)
			}
		}
		if fmt.Sprint(changed) != fmt.Sprint(c.changed) {
			t.Errorf("%s: the versions of %v changed, want %v", c.what, changed, c.changed)
		}
		before = now
	}
	// Without documents it still returns the current state.
	urls = nil
	if a := look(); a.now.State != before.now.State || len(a.versions) > 0 {
		t.Errorf("of no document: %v", a)
	}
}
