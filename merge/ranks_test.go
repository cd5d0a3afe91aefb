package merge

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/merge/extsort"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// linkWorld is a random graph of URLs in a database.
type linkWorld struct {
	*world
	last   int32
	redir  map[int32]int32
	origin map[int32]int32
	live   map[int32]bool // originals and clones
}

// newLinkWorld makes URLs of all kinds: documents, clones, redirects in chains and cycles, errors, pages that are not
// indexed, URLs that were never fetched, some withdrawn.
func newLinkWorld(t testing.TB, seed uint64, urls int) *linkWorld {
	t.Helper()
	w := &linkWorld{
		world: newWorld(t, storetest.New(t), seed, 0),
		redir: map[int32]int32{}, origin: map[int32]int32{}, live: map[int32]bool{},
	}
	var sites, statuses, deletions, redirs, origins []int32
	lists := make([]string, 0, urls)
	ids := make([]int32, urls)
	for i := range ids {
		w.last += 1 + w.r.Int32N(3)
		ids[i] = w.last
	}
	pick := func() int32 { return ids[w.r.IntN(len(ids))] }
	var originals []int32
	for i, u := range ids {
		status, deleted := 200, 0
		switch k := w.r.IntN(20); {
		case k < 5: // a redirect: often to a redirect before it, so that chains grow
			status = 301
			if w.redir[u] = pick(); i > 0 && k < 3 {
				w.redir[u] = ids[i-1-w.r.IntN(min(i, 3))]
			}
		case k < 7 && len(originals) > 0:
			w.origin[u] = originals[w.r.IntN(len(originals))]
		case k < 8:
			status = 406
		case k < 9:
			status = 404
		case k < 10:
			status = 0
		case k < 11:
			status = 200 | 404<<16 | 1<<27 // lost, which changes nothing
		}
		if w.r.IntN(25) == 0 {
			deleted = 1
		}
		w.live[u] = status&0xffff == 200 && deleted == 0
		if w.live[u] && w.origin[u] == 0 {
			originals = append(originals, u)
		}
		sites, statuses, deletions = append(sites, siteOf(u)), append(statuses, int32(status)), append(deletions, int32(deleted))
		redirs, origins = append(redirs, w.redir[u]), append(origins, w.origin[u])
		if deleted == 1 { // it leads nowhere
			delete(w.redir, u)
		}
		var links []int32
		if status == 200 && w.origin[u] == 0 || status == 406 || status >= 65536 {
			for range w.r.IntN(9) {
				links = append(links, pick())
			}
			if w.r.IntN(30) == 0 { // a page of links
				for range 60 {
					links = append(links, pick())
				}
			}
		}
		if status == 301 {
			links = append(links, w.redir[u])
		}
		w.links[u] = slices.Compact(slices.Sorted(slices.Values(links)))
		w.links[u] = slices.DeleteFunc(w.links[u], func(v int32) bool { return v == u || v == 0 })
		list := "" // no row
		if w.live[u] && w.origin[u] == 0 || len(w.links[u]) > 0 {
			list = "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(w.links[u]), " ", ","), "[]") + "}"
		}
		lists = append(lists, list)
	}
	w.exec(`INSERT INTO urlword (url_id, site_id, url, status, deleted, redir, origin)
		SELECT u, s, 'http://s/' || u, status, deleted, redir, origin
		FROM unnest($1::integer[], $2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[]) AS x (u, s, status, deleted, redir, origin)`,
		ids, sites, statuses, deletions, redirs, origins)
	for n := range 16 {
		w.exec(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, deleted, hrefs)
			SELECT u, deleted, list::integer[] FROM unnest($1::integer[], $2::integer[], $3::text[]) AS x (u, deleted, list)
			WHERE u %% 16 = %d AND list <> ''`, n, n), ids, deletions, lists)
	}
	maps.DeleteFunc(w.origin, func(u, _ int32) bool { return !w.live[u] }) // what is withdrawn is no clone
	return w
}

// leadsTo returns the URL for which a link counts.
func (w *linkWorld) leadsTo(u int32) int32 {
	at := u
	for steps := 0; w.redir[at] != 0; steps++ {
		if steps == 10 {
			return u
		}
		at = w.redir[at]
	}
	if o := w.origin[at]; o != 0 {
		return o
	}
	return at
}

// expectedRanks computes the ranks in plain maps.
func (w *linkWorld) expectedRanks() map[int32]float64 {
	out := map[int32][]int32{}
	rank := map[int32]float64{}
	for u, live := range w.live {
		if !live || w.origin[u] != 0 {
			continue
		}
		rank[u] = 1
		set := map[int32]bool{}
		for _, v := range w.links[u] {
			if t := w.leadsTo(v); t != u {
				set[t] = true
			}
		}
		out[u] = slices.Collect(maps.Keys(set))
	}
	for range 10 {
		next := map[int32]float64{}
		for u := range rank {
			next[u] += 0.15
			for _, t := range out[u] {
				if _, ok := rank[t]; ok {
					next[t] += 0.85 * rank[u] / float64(len(out[u]))
				}
			}
		}
		rank = next
	}
	return rank
}

// storedRanks returns the content of urlrank.
func (w *linkWorld) storedRanks() map[int32]float32 {
	got := map[int32]float32{}
	for _, row := range w.rows(`SELECT url_id, rank FROM urlrank`) {
		got[row[0].(int32)] = row[1].(float32)
	}
	return got
}

func (w *linkWorld) computeRanks(memory int64) Ranked {
	w.Helper()
	s := w.store(w.dsn)
	defer s.Close()
	done, err := Ranks(context.Background(), s, Options{Memory: memory})
	if err != nil {
		w.Fatal(err)
	}
	return done
}

// The ranks are those of the formula, whatever the graph: redirects in chains and cycles, clones, withdrawn documents and
// pages that are none. A second computation writes no row, and with memory for only a few URLs at once
// the ranks are the same to the last bit.
func TestRanksFollowTheFormula(t *testing.T) {
	for seed := range uint64(histories(3)) {
		w := newLinkWorld(t, seed, 40+int(seed)*130)
		want := w.expectedRanks()
		done := w.computeRanks(0)
		got := w.storedRanks()
		if len(got) != len(want) || done.Documents != int64(len(want)) || done.Written != int64(len(want)) {
			t.Fatalf("seed %d: %d ranks, want %d; %+v", seed, len(got), len(want), done)
		}
		for u, r := range want {
			if math.Abs(float64(got[u])-r) > 1e-5*r {
				t.Errorf("seed %d: url %d has rank %g, want %g", seed, u, got[u], r)
			}
		}
		state := w.rows(`SELECT links, changed, documents, computed_at IS NOT NULL FROM rankstate`)
		if fmt.Sprint(state) != fmt.Sprint([][]any{{done.Links, int64(0), done.Documents, true}}) {
			t.Errorf("seed %d: rankstate %v after %+v", seed, state, done)
		}
		before := w.rows(`SELECT ctid::text, xmin::text, url_id, rank FROM urlrank ORDER BY url_id`)
		memories := []int64{0, 1 << 20, 16 * 100, 16 * 37}
		if seed == 0 { // one URL at once takes long among many
			memories = append(memories, 16*7, 1)
		}
		for _, memory := range memories {
			again := w.computeRanks(memory)
			if again.Written != 0 || again.Edges != done.Edges || again.Links != done.Links {
				t.Errorf("seed %d, memory %d: %+v after %+v", seed, memory, again, done)
			}
		}
		if after := w.rows(`SELECT ctid::text, xmin::text, url_id, rank FROM urlrank ORDER BY url_id`); fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("seed %d: computing the same ranks again writes rows", seed)
		}
	}
}

// Ranks are written by differences: only rows that are deleted, inserted or changed.
func TestRanksAreWrittenByDifferences(t *testing.T) {
	w := newLinkWorld(t, 3, 300)
	w.computeRanks(0)
	stored := w.storedRanks()
	// A document without incoming links changes its one link: the ranks near it change.
	w.exec(`DELETE FROM urlrank WHERE url_id IN (SELECT url_id FROM urlrank ORDER BY url_id LIMIT 3)`)
	w.exec(`UPDATE urlrank SET rank = rank + 1 WHERE url_id IN (SELECT url_id FROM urlrank ORDER BY url_id DESC LIMIT 2)`)
	w.exec(`INSERT INTO urlrank SELECT g, 1 FROM generate_series($1::integer, $1 + 9) g`, w.last+1)
	w.exec(`INSERT INTO urlrank VALUES (0, 1)`)
	if done := w.computeRanks(16 * 7); done.Written != 3+2+10+1 {
		t.Errorf("%+v, want 16 rows written", done)
	}
	if got := w.storedRanks(); !maps.Equal(stored, got) {
		t.Errorf("the ranks are not as they were")
	}
}

// A chain of ten redirects is followed, one of eleven is not (at most ten steps); neither is a circular one.
func TestRanksFollowTenRedirects(t *testing.T) {
	for _, c := range []struct {
		redirects int
		cycle     bool
		want      float64 // of the document at the end
	}{{1, false, 0.2775}, {10, false, 0.2775}, {11, false, 0.15}, {3, true, 0.15}} {
		w := newWorld(t, storetest.New(t), 1, 2)
		from, end := w.urls[0], w.urls[1]
		for i := range c.redirects {
			next := int32(100 + i + 1)
			if i == c.redirects-1 {
				if next = end; c.cycle {
					next = 100
				}
			}
			w.exec(`INSERT INTO urlword (url_id, site_id, url, status, redir) VALUES ($1, 1, $2, 302, $3)`, 100+i, fmt.Sprint("http://s/", i), next)
		}
		for _, u := range w.urls {
			w.exec(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, hrefs) VALUES ($1, $2)`, u%16), u, map[bool][]int32{true: {100}, false: {}}[u == from])
		}
		for _, memory := range []int64{0, 16 * 5} {
			lw := &linkWorld{world: w}
			lw.computeRanks(memory)
			if got := float64(lw.storedRanks()[end]); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%+v, memory %d: the end has rank %g", c, memory, got)
			}
		}
	}
}

// RankShare: the ranks are computed the first time, and when more than the share of the links has changed
// since.
func TestRanksAreDueWhenEnoughLinksChanged(t *testing.T) {
	at := time.Now()
	for _, c := range []struct {
		name   string
		state  index.RankState
		share  float64
		merged bool
		want   bool
	}{
		{"an empty database", index.RankState{}, 0.05, false, false},
		{"the first merge", index.RankState{Changed: 7}, 0.05, true, true},
		{"the first merge of pages without links", index.RankState{}, 0.05, true, true},
		{"a merge that died before its ranks", index.RankState{Changed: 7}, 0.05, false, true},
		{"the share", index.RankState{Computed: at, Links: 100, Changed: 5}, 0.05, true, false},
		{"more than the share", index.RankState{Computed: at, Links: 100, Changed: 6}, 0.05, true, true},
		{"nothing of nothing", index.RankState{Computed: at}, 0.05, true, false},
		{"something of nothing", index.RankState{Computed: at, Changed: 1}, 1, true, true},
		{"no share, no change", index.RankState{Computed: at, Links: 100}, 0, true, false},
		{"no share, one change", index.RankState{Computed: at, Links: 1e9, Changed: 1}, 0, true, true},
	} {
		if got := ranksDue(c.state, c.share, c.merged); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A merge computes the ranks the first time, then again when more than RankShare of the links has changed.
// rankstate has the numbers for this decision.
func TestMergeComputesRanksWhenDue(t *testing.T) {
	w := &linkWorld{world: newWorld(t, storetest.New(t), 5, 60)}
	everything := func() {
		for _, u := range w.urls {
			w.seq = w.rows(`SELECT nextval('journal_seq')`)[0][0].(int64)
			w.version(u, 0, w.randomWords())
		}
	}
	count := func() (n int64) {
		for _, l := range w.links {
			n += int64(len(l))
		}
		return n
	}
	expect := func(what string, sum Summary, computed bool, changed int64) {
		t.Helper()
		got := w.rows(`SELECT changed, links FROM rankstate`)[0]
		if (sum.Ranked != nil) != computed || got[0] != changed || computed && got[1] != count() {
			t.Errorf("%s: ranked %+v, rankstate %v; want computed %v, changed %d, links %d", what, sum.Ranked, got, computed, changed, count())
		}
	}
	everything()
	options := Options{Ranks: true, RankShare: 0.05, BatchDocuments: 7}
	expect("no ranks wanted", w.merge(Options{BatchDocuments: 7}), false, count())
	expect("the first time", w.merge(options), true, 0)
	expect("nothing new", w.merge(options), false, 0)

	u := w.urls[slices.IndexFunc(w.urls, func(u int32) bool { return len(w.links[u]) > 0 })]
	was := len(w.links[u])
	w.seq = w.rows(`SELECT nextval('journal_seq')`)[0][0].(int64)
	w.exec(fmt.Sprintf(`UPDATE urlwords%02d SET hrefs = '{}' WHERE url_id = $1`, u%16), u)
	w.exec(`INSERT INTO journal (seq, run_id, url_id, site_id, status, links_removed) VALUES ($1, 1, $2, $3, 301, $4)`, w.seq, u, siteOf(u), w.links[u])
	w.links[u] = nil
	expect("a few links", w.merge(options), false, int64(was))
	everything()
	expect("all links", w.merge(options), true, 0)
	if len(w.storedRanks()) != len(w.urls) {
		t.Errorf("%d ranks of %d documents", len(w.storedRanks()), len(w.urls))
	}

	// A document that leaves the index has no rank from that merge on, whether the ranks are computed or not.
	w.exec(`UPDATE urlword SET status = 406 WHERE url_id = $1`, u)
	w.seq = w.rows(`SELECT nextval('journal_seq')`)[0][0].(int64)
	w.mark(u, 0)
	w.merge(Options{})
	if _, ok := w.storedRanks()[u]; ok || len(w.storedRanks()) != len(w.urls)-1 {
		t.Errorf("url %d is out and has a rank; %d have one", u, len(w.storedRanks()))
	}
}

// The sorter returns numbers in order without duplicates, whatever its limit is.
func TestSorter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 1000, 20000} {
		for _, limit := range []int{1, 3, 100, 1 << 20} {
			if n > 1000*limit { // a file for each number takes long
				continue
			}
			s := extsort.New(limit)
			var want []uint64
			for range n {
				v := r.Uint64N(uint64(n)) << 33
				want = append(want, v)
				if err := s.Add(v); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(want)
			want = slices.Compact(want)
			for range 2 {
				var got []uint64
				a, err := s.Sorted()
				if err != nil {
					t.Fatal(err)
				}
				for v, ok := a.Next(); ok; v, ok = a.Next() {
					got = append(got, v)
				}
				if a.Err != nil || !slices.Equal(want, got) {
					t.Errorf("%d numbers, %d at once: %d given back, want %d; %v", n, limit, len(got), len(want), a.Err)
				}
			}
			s.Close()
		}
	}
}
