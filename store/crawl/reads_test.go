package crawl

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

// planNode is a node of the output of EXPLAIN (ANALYZE, FORMAT JSON).
type planNode struct {
	Type    string     `json:"Node Type"`
	Table   string     `json:"Relation Name"`
	Rows    float64    `json:"Actual Rows"`
	Loops   float64    `json:"Actual Loops"`
	Removed float64    `json:"Rows Removed by Filter"`
	Recheck float64    `json:"Rows Removed by Index Recheck"`
	Plans   []planNode `json:"Plans"`
}

// read returns how many rows of a table a plan reads.
func (n planNode) read(table string) (rows float64) {
	if n.Table == table && n.Type != "ModifyTable" {
		rows = (n.Rows + n.Removed + n.Recheck) * max(n.Loops, 1)
	}
	for _, child := range n.Plans {
		rows += child.read(table)
	}
	return rows
}

// TestReadsWhatItNeeds checks that the statements that end a run, begin a merge or lease with -o read only
// the rows that they concern. Of 20,000 URLs of two sites half are due; a third site with one URL is on hold.
func TestReadsWhatItNeeds(t *testing.T) {
	ctx := t.Context()
	s, err := store.Open(ctx, store.Options{DSN: storetest.New(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, q := range []string{
		`INSERT INTO sitestate (site_id, host, gate, next_class) VALUES (1, 'a', 'a', 3), (2, 'b', 'a', 3), (3, 'c', 'h', 3)`,
		`INSERT INTO urlword (url_id, site_id, url, next_index_time, status, last_index_time, hops, referrer)
			SELECT i, 1 + i % 2, 'http://host/' || i, CASE WHEN i % 4 < 2 THEN i ELSE 1000000 END, CASE WHEN i % 7 = 0 THEN 0 ELSE 200 END, 1, 1 + i % 9, 1
			FROM generate_series(1, 20000) i`,
		`INSERT INTO urlword (url_id, site_id, url, status) VALUES (20001, 3, 'http://c/', 200)`,
		`INSERT INTO urlword (url_id, site_id, url, status, referrer) VALUES (20002, 2, 'http://host/lost', 200 + (404 << 16) + (4 << 27), 1)`,
		`INSERT INTO urlstate (url_id) SELECT url_id FROM urlword`,
		`INSERT INTO reindexing (kind, begun_at, starts) VALUES ('crawl', now(), '{20001}')`,
	} {
		if _, err := s.Pool.Exec(ctx, q); err != nil {
			t.Fatalf("%v\n%s", err, q)
		}
	}
	hopsFirst := &LeaseRequest{Due: 500000, Batch: 10, HopsFirst: true}
	for _, c := range []struct {
		what, sql string
		args      []any
		most      float64 // rows of urlword and of urlstate
	}{
		{"the end of a run, with a small site on hold", recoverSQL, []any{0.3, nil, true}, 10},
		{"the sites of a round", beginSitesSQL, []any{true, 0, []int32{20001}}, 10},
		{"the state of three sites", lookAgainSQL, []any{[]int32{1, 2, 3}, int64(math.MaxInt64), 500000}, 40},
		{"the losses of a day", lossesSQL, nil, 10},
		{"start URLs", startsSQL, []any{[]int32{20001}, true}, 10},
		{"the documents of a small site", countLiveSQL, []any{[]int32{3}}, 400},
		{"lost documents", lostDocumentsSQL, []any{math.MaxInt32, 1000, 0, 4}, 10},
		{"documents that do not answer", unreachableDocumentsSQL, []any{math.MaxInt32, 1000}, 10},
		{"typed sites", typedSitesSQL, nil, 10},
		{"a lease of new URLs with -o", choiceSQL(hopsFirst, groupNew), choice(hopsFirst, "a", groupNew, false), 9 * 200},
		{"a lease of known URLs with -o", choiceSQL(hopsFirst, groupKnown), choice(hopsFirst, "a", groupKnown, false), 9 * 200},
		{"a lease of known URLs", choiceSQL(&LeaseRequest{}, groupKnown), choice(&LeaseRequest{Due: 500000, Batch: 10}, "a", groupKnown, false), 200},
		{"is anything overlooked", overlookedSQL, Limits{}.with(int64(0), 1, 0, true), 10},
	} {
		conn, err := s.Pool.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var text []byte
		err = conn.QueryRow(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+c.sql, c.args...).Scan(&text)
		conn.Release()
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		var plan []struct{ Plan planNode }
		if err := json.Unmarshal(text, &plan); err != nil {
			t.Fatal(err)
		}
		read := plan[0].Plan.read("urlword") + plan[0].Plan.read("urlstate")
		t.Logf("%s: %g rows, %v", c.what, read, time.Since(began))
		if read > c.most {
			t.Errorf("%s reads %g rows, want at most %g\n%s", c.what, read, c.most, text)
		}
	}
}
