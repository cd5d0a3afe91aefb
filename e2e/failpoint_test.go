package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// withFailPoints returns the path of index with its fail points, which all tests share.
func withFailPoints(t *testing.T) string {
	t.Helper()
	path, err := failPoints()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// failPoints builds index with its fail points.
var failPoints = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "pgseek-failpoints-")
	if err != nil {
		return "", err
	}
	failPointsDir.Store(&dir)
	path := filepath.Join(dir, "index")
	cmd := exec.CommandContext(context.Background(), "go", "build", "-buildvcs=false", "-tags", "failpoint", "-o", path, "../cmd/index")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return path, nil
})

var failPointsDir atomic.Pointer[string] // nil = none was made

func removeFailPoints() {
	if dir := failPointsDir.Load(); dir != nil {
		_ = os.RemoveAll(*dir)
	}
}

// pendingMerge is a database in which a merge has everything before it: new, changed and removed documents, clones that take
// over, real-time documents, old and new levels of words.
type pendingMerge struct {
	t       *testing.T
	program string // index with fail points
	fill    *world
	args    []string
	old     documents // before the merge
	merged  documents // after it
	want    []string  // the index after it
}

// documents returns what a search finds: the words of each URL with their positions.
type documents map[string]map[string]string

// newPendingMerge fills a database. cluster is a server of the test's own, or nil.
func newPendingMerge(t *testing.T, program string, cluster *embedded.Cluster) *pendingMerge {
	t.Helper()
	site := mazeOf(t, 5, 240, 400) // to read all postings by SQL, as this test does often, costs most by the word
	site.Pause(func() time.Duration { return 0 })
	site.HTML("/120", `<title>to be lost</title>this page is going to go`)
	var w *world
	if cluster == nil {
		w = newWorld(t, "")
	} else {
		w = &world{t: t, dir: t.TempDir(), dsn: cluster.DSN()}
	}
	w.sets("Server " + site.URL + "/0\nDeleteBad yes\n")
	w.spider("")
	w.index("--no-merge")
	if w.pool == nil {
		w.pool = storetest.Connect(t, w.dsn)
	}
	w.index("-D")
	change := func(round, from, n int) {
		for i := range n {
			site.HTML(fmt.Sprintf("/%d", from+2*i), fmt.Sprintf(
				`<title>page %d</title>changed page in round round%d words of maze %d <a href="/%d">x</a> <a href="/%d">y</a>`, i, round, i, i+1, 2*i+1))
		}
	}
	for round := range 5 { // rows of level 0
		change(round, 10*round+2, 3)
		w.index("-a", "--no-merge")
		w.index("-D")
	}
	change(5, 1, 30)
	site.Set("/7", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/2"}})
	site.Remove("/120")
	site.Remove("/121")
	site.HTML("/60", `<title>fresh</title>fresh words of a new page <a href="/1000">new</a>`)
	site.HTML("/1000", `<title>new page</title>found later in the maze page words`)
	w.index("-a", "--no-merge")
	var realtime []string
	for i := range 6 { // newer than what the crawl brought, and documents that it did not change
		site.HTML(fmt.Sprintf("/%d", 3+11*i), fmt.Sprintf(`<title>page %d</title>the page of now in real time maze words%d <a href="/4">x</a>`, i, i))
		realtime = append(realtime, "-T", fmt.Sprintf("%s/%d", site.URL, 3+11*i))
	}
	w.index(realtime...)
	p := &pendingMerge{t: t, program: program, fill: w, args: []string{"-D", "--batch-documents", "15"}}
	p.old = p.documents(w)

	undisturbed := p.copy()
	undisturbed.index(p.args...)
	p.merged, p.want = p.documents(undisturbed), indexBytes(undisturbed)
	if cmp.Equal(p.old, p.merged) {
		t.Fatal("the merge changes nothing that a search would find")
	}
	return p
}

// in is the same for a subtest.
func (p *pendingMerge) in(t *testing.T) *pendingMerge {
	q := *p
	q.t = t
	return &q
}

// copy is the world before the merge, once more.
func (p *pendingMerge) copy() *world {
	p.t.Helper()
	sets, err := os.ReadFile(filepath.Join(p.fill.dir, "sets.cnf"))
	if err != nil {
		p.t.Fatal(err)
	}
	return p.fill.copy(p.t, string(sets))
}

// documents reads in one snapshot what a search would find.
func (p *pendingMerge) documents(w *world) documents {
	p.t.Helper()
	found := documents{}
	for url, words := range w.postings() {
		for word, positions := range words {
			if found[url] == nil {
				found[url] = map[string]string{}
			}
			found[url][word] = fmt.Sprint(positions)
		}
	}
	return found
}

// whole fails the test when a document is a mixture of old and new.
func (p *pendingMerge) whole(what string, w *world) {
	p.t.Helper()
	now := p.documents(w)
	for _, all := range []documents{p.old, p.merged, now} {
		for url := range all {
			if !maps.Equal(now[url], p.old[url]) && !maps.Equal(now[url], p.merged[url]) {
				p.t.Errorf("%s: %s is neither old nor new: (-old +now)\n%s(-new +now)\n%s", what, url, cmp.Diff(p.old[url], now[url]), cmp.Diff(p.merged[url], now[url]))
			}
		}
	}
}

// ends merges what is left, compares with the undisturbed index and merges once more, which changes nothing.
func (p *pendingMerge) ends(what string, w *world) {
	p.t.Helper()
	p.whole(what, w)
	storetest.CheckInvariants(p.t, w.dsn)
	w.index(p.args...)
	if diff := cmp.Diff(p.want, indexBytes(w)); diff != "" {
		p.t.Errorf("%s: the index differs from an undisturbed merge's (-undisturbed +disturbed):\n%s", what, diff)
	}
	storetest.CheckInvariants(p.t, w.dsn)
	before := w.versions()
	w.index("-D")
	if diff := cmp.Diff(before, w.versions()); diff != "" {
		p.t.Errorf("%s: a third merge changed rows:\n%s", what, diff)
	}
	if p.t.Failed() {
		p.t.FailNow()
	}
}

// indexBytes returns the index byte for byte, but for numbers that sequences drew: words instead of word ids, batches in their order.
func indexBytes(w *world) (lines []string) {
	w.t.Helper()
	for _, query := range []string{
		`SELECT 'wordurl', word, md5(urls), urlcount, totalcount FROM wordurl ORDER BY word COLLATE "C"`,
		`SELECT 'wordurl1', word, md5(urls), urlcount, totalcount FROM wordurl1 ORDER BY word COLLATE "C"`,
		`SELECT 'wordfile', w.word, f.level, dense_rank() OVER (PARTITION BY f.word_id, f.level ORDER BY f.seq), f.first_site, f.first_url,
			f.urlcount, f.totalcount, md5(f.urls)
		 FROM wordfile f JOIN wordurl w USING (word_id) ORDER BY w.word COLLATE "C", f.level, f.seq, f.first_site, f.first_url`,
		`SELECT 'rt_urls', count(*) FROM rt_urls`,
		`SELECT 'journal', count(*) FROM journal`,
		`SELECT 'markdel', count(*) FROM markdel`,
		`SELECT 'citation', url_id, referrers::text FROM citation ORDER BY url_id`,
		`SELECT 'docdates', url_id, modified_from FROM docdates ORDER BY url_id`,
	} {
		lines = append(lines, w.rows(query)...)
	}
	words := map[string]string{}
	for _, row := range w.rows(`SELECT word_id::text, word FROM wordurl`) {
		id, word, _ := strings.Cut(row, " ")
		words[id] = word
	}
	rows, err := w.pool.Query(context.Background(), `SELECT url_id, words FROM docwords ORDER BY url_id`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var url int
		var packed []byte
		if err := rows.Scan(&url, &packed); err != nil {
			w.t.Fatal(err)
		}
		r, err := posting.NewDocWordsReader(packed)
		if err != nil {
			w.t.Fatal(err)
		}
		var list []string
		for r.Next() {
			list = append(list, fmt.Sprintf("%s %d", words[fmt.Sprint(r.Word().ID)], r.Word().Count))
		}
		slices.Sort(list)
		lines = append(lines, fmt.Sprint("docwords ", url, " ", list))
	}
	return lines
}

// run runs index with fail points and returns whether it ended well.
func (p *pendingMerge) run(w *world, env string) (ended bool, out string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), p.program, append([]string{"--config", w.dir}, p.args...)...)
	cmd.Env = append(os.Environ(), env)
	text, err := cmd.CombinedOutput()
	return err == nil, string(text)
}

// point is the nth time that a merge comes to a fail point.
type point struct {
	name string
	nth  int
}

// mergePoints are the fail points of a merge.
var mergePoints = []string{"merge.after-read", "merge.mid-write", "merge.mid-compact", "merge.before-commit", "merge.after-commit"}

// points are all fail points that index comes to, which must be among them.
func (p *pendingMerge) points(must ...string) (all []point) {
	p.t.Helper()
	counts := filepath.Join(p.t.TempDir(), "counts")
	w := p.copy()
	if ok, out := p.run(w, "FAILPOINT_COUNT="+counts); !ok {
		p.t.Fatal(out)
	}
	text, err := os.ReadFile(counts)
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var n int
		if _, err := fmt.Sscan(line, &name, &n); err != nil {
			p.t.Fatal(err)
		}
		for nth := range n {
			all = append(all, point{name, nth + 1})
		}
	}
	for _, name := range must {
		if !slices.ContainsFunc(all, func(at point) bool { return at.name == name }) {
			p.t.Errorf("index %v never comes to %s", p.args, name)
		}
	}
	return all
}

// sampled are the points that are tried: in soak all, else one of each name, by turns its first time and its last.
func sampled(all []point) (list []point) {
	if soak() {
		return all
	}
	last := false
	for i, at := range all {
		if i > 0 && all[i-1].name == at.name {
			continue
		}
		for last && i+1 < len(all) && all[i+1].name == at.name {
			i++
		}
		list, last = append(list, all[i]), !last
	}
	return list
}

// every has every nth of these points, from one of them on; in soak it has all. Index is killed at some and the server at others:
// each costs a copy of the database, several runs and the checks.
func every(nth, from int, all []point) (list []point) {
	for i, at := range all {
		if soak() || i%nth == from {
			list = append(list, at)
		}
	}
	return list
}

// TestKillPending kills what has a full journal before it, all from copies of one database.
func TestKillPending(t *testing.T) {
	t.Parallel()
	p := newPendingMerge(t, withFailPoints(t), nil)
	t.Run("MergeAtEveryFailPoint", func(t *testing.T) { killMergeAtEveryFailPoint(t, p.in(t)) })
	t.Run("MergeAtEvenMoments", func(t *testing.T) { killMergeAtEvenMoments(t, p.in(t)) })
	t.Run("MendingAtEveryFailPoint", func(t *testing.T) { killMendingAtEveryFailPoint(t, p.in(t)) })
}

// killMergeAtEveryFailPoint kills a merge at each fail point. Each document must be old or new, and the next
// merge must end in the same bytes (P2, P3, P14, F10).
func killMergeAtEveryFailPoint(t *testing.T, p *pendingMerge) {
	for _, at := range sampled(p.points(mergePoints...)) {
		t.Run(fmt.Sprintf("%s %d", at.name, at.nth), func(t *testing.T) {
			t.Parallel()
			p := p.in(t)
			w := p.copy()
			if ok, _ := p.run(w, fmt.Sprintf("FAILPOINT=%s:%d=kill", at.name, at.nth)); ok {
				t.Fatal("it was not killed")
			}
			p.ends("killed", w)
		})
	}
}

// killMergeAtEvenMoments: the same at moments evenly over the time of a merge.
func killMergeAtEvenMoments(t *testing.T, p *pendingMerge) {
	w := p.copy()
	began := time.Now()
	if ok, out := p.run(w, "LC_ALL=C"); !ok {
		t.Fatal(out)
	}
	lasts := time.Since(began)
	moments, met := 2, 0
	if soak() {
		moments = 60
	}
	for n := range moments {
		w := p.copy()
		cmd := exec.CommandContext(t.Context(), p.program, append([]string{"--config", w.dir}, p.args...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(lasts*time.Duration(n)/time.Duration(moments), func() { _ = cmd.Process.Kill() })
		if err := cmd.Wait(); err != nil {
			met++
		}
		timer.Stop()
		p.ends(fmt.Sprintf("killed at moment %d of %d", n, moments), w)
	}
	if met == 0 {
		t.Error("no kill met a running merge")
	}
}

// TestServerDies ends the database under what has a full journal before it, all with copies of one database.
func TestServerDies(t *testing.T) {
	t.Parallel()
	cluster := storetest.Cluster(t)
	p := newPendingMerge(t, withFailPoints(t), cluster)
	t.Run("UnderAMerge", func(t *testing.T) { serverDiesUnderAMerge(p.in(t), cluster) })
	t.Run("UnderMending", func(t *testing.T) { serverDiesUnderMending(p.in(t), cluster) })
}

// serverDiesUnderAMerge: the database ends at once at each fail point, and comes back. The merge goes on by itself, or the
// next one does, to the same bytes.
func serverDiesUnderAMerge(p *pendingMerge, cluster *embedded.Cluster) {
	for _, at := range every(2, 1, sampled(p.points(mergePoints...))) {
		w := p.copy()
		p.serverDies(w, cluster, at)
		p.ends(fmt.Sprintf("server died at %s, time %d", at.name, at.nth), w)
	}
}

// serverDies runs index, and ends the server at once when it comes to a fail point; then the server is back.
func (p *pendingMerge) serverDies(w *world, cluster *embedded.Cluster, at point) {
	p.t.Helper()
	here := filepath.Join(p.t.TempDir(), "here")
	done := make(chan string)
	go func() {
		_, out := p.run(w, fmt.Sprintf("FAILPOINT=%s:%d=wait:%s", at.name, at.nth, here))
		done <- out
	}()
	for _, err := os.Stat(here); err != nil; _, err = os.Stat(here) {
		select {
		case out := <-done:
			p.t.Fatalf("it never came to %s, time %d\n%s", at.name, at.nth, out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	killServer(p.t, cluster)
	if err := cluster.Start(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Remove(here); err != nil {
		p.t.Fatal(err)
	}
	<-done
	w.pool.Reset()
	p.fill.pool.Reset()
}
