package merge

import (
	"context"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// masks match whole sites, some documents of one site, some of several, nothing; two are odd on purpose.
var masks = []string{
	`http://s1.example.org/%`, `http://s2.example.org/1%`, `http://s_.example.org/%4`, `%`, `%7`, `http://s3%`, `http://nowhere.example/%`,
	`http://s4.example.org/\%%`, `http://s5.example.org/\`, `HTTP://S1.EXAMPLE.ORG/%`, `http://s5.example.org/___`, ``,
}

// groupsWorld is a world whose documents are in several blocks.
func groupsWorld(t *testing.T, seed uint64) *world {
	w := newWorld(t, storetest.New(t), seed, 40)
	var more []int32
	for i := range int32(20) {
		more = append(more, 16380+i, 5*16384+7*i)
	}
	w.urls = append(w.urls, more...)
	w.exec(`INSERT INTO urlword (url_id, site_id, url, status) SELECT u, 1 + u % 5, 'http://s' || 1 + u % 5 || '.example.org/' || u, 200
		FROM unnest($1::integer[]) u`, more)
	return w
}

// operate changes subsets as an operator does.
func (w *world) operate() {
	mask := masks[w.r.IntN(len(masks))]
	switch w.r.IntN(4) {
	case 0:
		w.exec(`DELETE FROM subsets WHERE subset_id = (SELECT min(subset_id) FROM subsets)`)
	case 1:
		w.exec(`UPDATE subsets SET mask = $1 WHERE subset_id = (SELECT max(subset_id) FROM subsets) AND NOT EXISTS (SELECT FROM subsets WHERE mask = $1)`, mask)
	default:
		w.exec(`INSERT INTO subsets (mask) VALUES ($1) ON CONFLICT DO NOTHING`, mask)
	}
}

// wantSubsets returns the documents of each subset by its definition, without code of the program.
func (w *world) wantSubsets() [][]any {
	return w.rows(`SELECT s.subset_id, u.url_id FROM subsets s JOIN urlword u ON CASE WHEN s.mask LIKE '%\\' THEN false ELSE u.url LIKE s.mask END
		WHERE status_base(u.status) = 200 AND u.deleted = 0 AND u.origin = 0 ORDER BY 1, 2`)
}

func (w *world) haveSubsets() [][]any {
	return w.rows(`SELECT s.subset_id, d.url_id FROM subsets s CROSS JOIN subset_documents(s.subset_id) d ORDER BY 1, 2`)
}

// Subsets and totals kept by differences over versions, marks, batches, and changes by the operator equal a rebuild.
func TestGroupsByDifferencesEqualARebuild(t *testing.T) {
	for seed := range uint64(histories(3)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := groupsWorld(t, seed)
			for range 12 {
				if w.r.IntN(3) > 0 {
					w.operate()
				}
				for range w.r.IntN(40) {
					w.act()
					// Clones come and go with journal rows and marks, too.
					if w.r.IntN(8) == 0 {
						w.clone()
					}
				}
				w.acknowledge(false)
				w.merge(Options{BatchDocuments: 1 + w.r.IntN(30)})
				w.checkTotals()
			}
			w.acknowledge(true)
			w.merge(Options{BatchDocuments: 7})
			w.checkTotals()
			if d := gocmp.Diff(w.wantSubsets(), w.haveSubsets()); d != "" {
				t.Errorf("documents of subsets (-want +got):\n%s", d)
			}
			w.wantNoDifference()
		})
	}
}

// clone makes a document a clone or an original, with the journal row or mark of that change.
func (w *world) clone() {
	u := w.urls[w.r.IntN(len(w.urls))]
	w.seq = w.rows(`SELECT nextval('journal_seq')`)[0][0].(int64)
	if w.rows(`SELECT origin FROM urlword WHERE url_id = $1`, u)[0][0].(int32) == 0 {
		w.exec(`UPDATE urlword SET origin = 1 WHERE url_id = $1 AND url_id <> 1`, u)
		w.mark(u, 0)
		return
	}
	w.exec(`UPDATE urlword SET origin = 0 WHERE url_id = $1`, u)
	w.version(u, 0, w.randomWords())
}

// checkTotals counts the totals independently.
func (w *world) checkTotals() {
	w.Helper()
	got := w.rows(`SELECT documents, words, postings, positions FROM totals`)
	want := w.rows(`SELECT (SELECT count(*) FROM docwords WHERE octet_length(words) > 2), count(*) FILTER (WHERE urlcount > 0),
		sum(urlcount)::bigint, sum(totalcount)::bigint FROM wordurl`)
	if w.rows(`SELECT count(*) FROM wordurl`)[0][0] == int64(0) {
		want = [][]any{{int64(0), int64(0), int64(0), int64(0)}}
	}
	if d := gocmp.Diff(want, got); d != "" {
		w.Errorf("totals (-want +got):\n%s", d)
	}
}

// wantNoDifference rebuilds everything; the rebuild must find no difference.
func (w *world) wantNoDifference() {
	w.Helper()
	s := w.store(w.dsn)
	defer s.Close()
	before := w.groupRows()
	err := Regroup(context.Background(), s, Groups{
		Labels: func(r index.LabelDiff) {
			if r.Missing+r.Wrong+r.Foreign != 0 {
				w.Errorf("wordsite differs: %+v", r)
			}
		},
		Subset: func(x index.Subset, b index.SubsetBuilt) {
			if b.Added+b.Removed+b.AddedWhole+b.RemovedWhole+b.RowsWritten+b.RowsDeleted != 0 {
				w.Errorf("subset %d %q differs: %+v", x.ID, x.Mask, b)
			}
		},
		Gone:   func(id store.SubsetID) { w.Errorf("subset %d was not dropped", id) },
		Spaces: func(_, _, removed int64) {},
	})
	if err != nil {
		w.Fatal(err)
	}
	if after := w.groupRows(); !slices.Equal(before, after) {
		w.Errorf("a rebuild that finds nothing wrote rows: %v, before %v", after, before)
	}
	was, is, err := CountTotals(context.Background(), s)
	if err != nil || was != is {
		w.Errorf("totals differ: %+v, counted %+v, %v", was, is, err)
	}
}

// groupRows returns ctid and xmin of the rows that a search by group reads.
func (w *world) groupRows() (all []string) {
	for _, table := range []string{"subsetdocs", "wordsite", "totals", "spaces"} {
		row := w.rows(`SELECT count(*), coalesce(md5(string_agg(ctid::text || xmin::text, ',' ORDER BY ctid)), '') FROM ` + table)[0]
		all = append(all, fmt.Sprint(table, row))
	}
	return all
}

// A mask that covers whole sites costs a row a site, whatever their documents; a mask that names a site reads
// only that site.
func TestSubsetOfWholeSitesHasARowASite(t *testing.T) {
	w := groupsWorld(t, 1)
	w.exec(`INSERT INTO subsets (subset_id, mask) VALUES (1, '%'), (2, 'http://s2.example.org/%'), (3, 'http://s2.example.org/1%')`)
	w.merge(Options{})
	got := w.rows(`SELECT subset_id, site_id, block, cardinality(docs) FROM subsetdocs ORDER BY 1, 2, 3`)
	var want [][]any
	for site := range int32(5) {
		want = append(want, []any{int32(1), site + 1, int32(-1), nil})
	}
	want = append(want, []any{int32(2), int32(2), int32(-1), nil})
	for _, r := range w.rows(`SELECT url_id / 16384, count(*)::integer FROM urlword WHERE url LIKE 'http://s2.example.org/1%' GROUP BY 1 ORDER BY 1`) {
		want = append(want, []any{int32(3), int32(2), r[0], r[1]})
	}
	if d := gocmp.Diff(want, got); d != "" {
		t.Errorf("subsetdocs (-want +got):\n%s", d)
	}
	// A site that appears later is covered when the merge labels it.
	w.exec(`INSERT INTO sites (site_id, site) VALUES (9, 'http://s2.example.org:8080/')`)
	w.exec(`INSERT INTO sitestate (site_id, host) VALUES (9, 's2.example.org')`)
	w.exec(`INSERT INTO urlword (url_id, site_id, url, status) VALUES (90000, 9, 'http://s2.example.org:8080/1', 200)`)
	w.merge(Options{})
	if got := w.rows(`SELECT subset_id FROM subsetdocs WHERE site_id = 9 AND block = -1`); len(got) != 1 || got[0][0] != int32(1) {
		t.Errorf("the new site is in the subsets %v, want 1", got)
	}
	w.wantNoDifference()
}

// A batch that does not commit leaves subsets and totals unchanged: they are part of its transaction (P3).
func TestGroupsAreOfTheBatch(t *testing.T) {
	w := groupsWorld(t, 3)
	w.exec(`INSERT INTO subsets (mask) VALUES ('%1'), ('%')`)
	for range 60 {
		w.act()
	}
	w.acknowledge(true)
	w.merge(Options{})
	for range 60 {
		w.act()
	}
	w.acknowledge(true)
	before := w.groupRows()
	w.exec(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$`)
	w.exec(`CREATE CONSTRAINT TRIGGER refuse AFTER DELETE ON journal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`)
	s := w.store(w.dsn)
	defer s.Close()
	if _, err := Run(context.Background(), s, Options{}); err == nil {
		t.Fatal("the merge committed")
	}
	if after := w.groupRows(); !slices.Equal(before, after) {
		t.Errorf("a merge that failed wrote rows: %v, before %v", after, before)
	}
	w.exec(`DROP TRIGGER refuse ON journal`)
	w.merge(Options{})
	w.wantNoDifference()
	// No new entries: a second merge writes nothing (P3).
	before = w.groupRows()
	w.merge(Options{})
	if after := w.groupRows(); !slices.Equal(before, after) {
		t.Errorf("a second merge wrote rows: %v, before %v", after, before)
	}
}

func TestReplaceMembers(t *testing.T) {
	type list = []store.URLID
	for _, c := range []struct {
		name                       string
		was, touched, belong, want list
	}{
		{"nothing", nil, nil, nil, list{}},
		{"the first", nil, list{5}, list{5}, list{5}},
		{"nothing that belongs", list{1, 2}, list{5}, nil, list{1, 2}},
		{"one stays", list{1, 5, 9}, list{5}, list{5}, list{1, 5, 9}},
		{"one leaves", list{1, 5, 9}, list{5}, nil, list{1, 9}},
		{"the last leaves", list{5}, list{4, 5, 6}, nil, list{}},
		{"before, between and after", list{4, 8}, list{1, 4, 6, 9}, list{1, 6, 9}, list{1, 6, 8, 9}},
		{"all change places", list{2, 4, 6}, list{1, 2, 3, 4, 5, 6}, list{1, 3, 5}, list{1, 3, 5}},
	} {
		if d := gocmp.Diff(c.want, replaceMembers(c.was, c.touched, c.belong)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// The labels of site_labels, the SQL of -B, equal those of the merge's own code.
func TestSiteLabelsInSQLEqualLabels(t *testing.T) {
	pool := storetest.Pool(t)
	for _, site := range []string{
		"http://example.org/", "https://www.example.org:8443/", "http://127.0.0.1:18080/", "http://a.b.c.d.e.f.g.h.i.j/", "http://x.x.x/",
		"http://localhost/", "http://a..b/", "http://abcdefghijklmnopqrstuvwxyz0123456789.example/", "http://[::1]:80/",
		"http://xn--bcher-kva.example/", "http://abcdefghijklmnopqrstuvwxyz012345.abcdefghijklmnopqrstuvwxyz0123456.x/",
	} {
		want := map[string]int32{}
		for _, l := range labels(site) {
			want[l.text] |= l.bit
		}
		got := map[string]int32{}
		rows, err := pool.Query(t.Context(), `SELECT label, bits FROM site_labels($1)`, site)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var label string
			var bits int32
			if err := rows.Scan(&label, &bits); err != nil {
				t.Fatal(err)
			}
			got[label] = bits
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s (-labels +site_labels):\n%s", site, d)
		}
	}
}
