package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// crowd is a group of hosts, each a maze at its own address, so that several processes have work at the same
// time.
type crowd struct {
	sites []*spidertest.Site
	urls  []string // of the start pages

	mu   sync.Mutex
	gate chan struct{} // closed: pages are answered
}

func newCrowd(t *testing.T, hosts, pages int) *crowd {
	c := &crowd{gate: make(chan struct{})}
	close(c.gate)
	for i := range hosts {
		site := maze(t, uint64(40+i), pages)
		site.Pause(func() time.Duration {
			c.wait()
			return rand.N(30 * time.Millisecond)
		})
		url := serveAt(t, site, fmt.Sprintf("127.0.0.%d:0", 2+i))
		c.sites, c.urls = append(c.sites, site), append(c.urls, url+"/0")
	}
	return c
}

// serveAt serves a site at another loopback address.
func serveAt(t *testing.T, site http.Handler, address string) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(site)
	_ = server.Listener.Close() // the one that it made for itself
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// sets returns the Server lines of the crowd.
func (c *crowd) sets() string {
	var b strings.Builder
	for _, url := range c.urls {
		fmt.Fprintf(&b, "Server %s\n", url)
	}
	return b.String()
}

// hold keeps all pages waiting until open is called.
func (c *crowd) hold() (open func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gate := make(chan struct{})
	c.gate = gate
	return sync.OnceFunc(func() { close(gate) })
}

// wait waits until hold's open is called.
func (c *crowd) wait() {
	c.mu.Lock()
	gate := c.gate
	c.mu.Unlock()
	<-gate
}

func (c *crowd) forget() {
	for _, site := range c.sites {
		site.Forget()
	}
}

// requests counts the requests by URL.
func (c *crowd) requests() map[string]int {
	count := map[string]int{}
	for i, site := range c.sites {
		for path, n := range site.Count() {
			count[strings.TrimSuffix(c.urls[i], "/0")+path] += n
		}
	}
	return count
}

// watchSchedules makes the database record every time a URL is issued to a fetcher.
func (w *world) watchSchedules() {
	w.t.Helper()
	_, err := w.pool.Exec(context.Background(), `
		CREATE TABLE issued (seq bigint, attempt integer, process_id integer, url_id integer);
		CREATE FUNCTION note_issued() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO issued SELECT NEW.seq, NEW.attempt, NEW.process_id, u FROM unnest(NEW.url_ids) u WHERE u <> 0;
			RETURN NULL;
		END $$;
		CREATE TRIGGER note_made AFTER INSERT ON schedule FOR EACH ROW EXECUTE FUNCTION note_issued();
		CREATE TRIGGER note_again AFTER UPDATE OF attempt ON schedule FOR EACH ROW EXECUTE FUNCTION note_issued()`)
	if err != nil {
		w.t.Fatal(err)
	}
}

// until waits for a condition in the database: a query of one boolean.
func (w *world) until(query string, args ...any) {
	w.t.Helper()
	for begin := time.Now(); w.one(query, args...) != "true"; time.Sleep(2 * time.Millisecond) {
		if time.Since(begin) > patience {
			w.t.Fatalf("not true after %v: %s", patience, query)
		}
	}
}

// patience is the time limit for a condition that comes true unless something is wrong.
const patience = 5 * time.Minute

// running is a running process of index.
type running struct {
	*exec.Cmd
	out *bytes.Buffer
}

// join starts a crawling process and waits until it is the n-th process of the run.
func (w *world) join(n int, args ...string) running {
	w.t.Helper()
	cmd, out := w.start(args...)
	w.until(`SELECT count(*) >= $1 FROM process WHERE left_at IS NULL AND EXISTS (SELECT FROM fetcher f WHERE f.process_id = process.process_id)`, n)
	return running{cmd, out}
}

// ends waits for the process to end and compares its exit code.
func (r running) ends(t *testing.T, want int) {
	t.Helper()
	err := r.Wait()
	if got := r.ProcessState.ExitCode(); got != want {
		t.Errorf("exit %d (%v), want %d\n%s", got, err, want, r.out)
	}
}

func (r running) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := r.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// TestThreeProcesses runs F1, F12 and F13 together: of three processes that crawl one database one is killed
// and one stalls for longer than its deadline, at random moments. The tables must end as if nothing had
// happened, no URL may be requested more often than it was issued, and a process that lost a schedule must
// log it.
func TestThreeProcesses(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 3, 60)
	undisturbed := newWorld(t, c.sets())
	began := time.Now()
	undisturbed.index("-N3")
	whole := time.Since(began)
	want := storetest.Dump(t, undisturbed.dsn)
	once := c.requests()

	times := 2
	if soak() {
		times = 30
	}
	random := rand.New(rand.NewPCG(17, 3))
	for n := range times {
		w := newWorld(t, c.sets())
		w.spider("BatchTimeout 1s\nBatchSize 5\n")
		w.watchSchedules()
		c.forget()
		open := c.hold()
		killed, stalled, left := w.join(1, "-N3"), w.join(2, "-N3"), w.join(3, "-N3")
		stalledID := w.one(`SELECT process_id FROM process WHERE name LIKE '%/' || $1::text`, fmt.Sprint(stalled.Process.Pid))
		open()
		moment := func() { time.Sleep(time.Duration(random.Int64N(int64(whole * 3 / 4)))) }
		moment()
		_ = killed.Process.Kill() // it may have ended
		_ = killed.Wait()
		moment()
		_ = stalled.Process.Signal(syscall.SIGSTOP)
		time.Sleep(1300 * time.Millisecond) // what this is about: longer than BatchTimeout
		_ = stalled.Process.Signal(syscall.SIGCONT)
		stalled.ends(t, exitDone)
		left.ends(t, exitDone)
		if w.one(`SELECT left_at IS NOT NULL FROM process WHERE name LIKE '%/' || $1::text`, fmt.Sprint(killed.Process.Pid)) == "true" {
			w.index("-D") // it was the last to leave, and was killed in its merge
		}

		if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
			t.Errorf("moment %d: the tables differ from an undisturbed crawl's (-undisturbed +disturbed):\n%s", n, diff)
		}
		if got := w.rows(`SELECT end_reason, config_hash IS NOT NULL FROM reindexing WHERE kind = 'crawl'`); len(got) != 1 || got[0] != "complete true" {
			t.Errorf("moment %d: runs %q, want one that ended complete", n, got)
		}
		for url, n := range c.requests() {
			issued := 0
			if _, err := fmt.Sscan(w.one(`SELECT count(*) FROM issued JOIN urlword USING (url_id) WHERE url = $1`, url), &issued); err != nil {
				t.Fatal(err)
			}
			if n > max(issued, once[url]) {
				t.Errorf("moment %d: %s was asked for %d times, issued %d times", n, url, n, issued)
			}
		}
		lost := w.one(`
			SELECT EXISTS (SELECT FROM issued a JOIN issued b ON b.seq = a.seq AND b.attempt = a.attempt + 1
			WHERE a.process_id = $1::integer AND b.process_id <> a.process_id)`, stalledID)
		if said := strings.Contains(stalled.out.String(), "schedule lost to another fetcher"); lost == "true" && !said {
			t.Errorf("moment %d: who stalled lost a schedule and did not say so\n%s", n, stalled.out)
		}
		if t.Failed() {
			t.Fatalf("stalled:\n%s\nleft:\n%s", stalled.out, left.out)
		}
	}
}

// TestLateWriter verifies P5: a process that stalls while it fetches a page finds its schedule gone
// afterwards. It writes nothing and logs it.
func TestLateWriter(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	reached, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	site.Set("/", spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
		first := false
		once.Do(func() { first = true; close(reached) })
		if first {
			<-release
			fmt.Fprint(w, "<title>the late one</title> late")
			return
		}
		fmt.Fprint(w, "<title>the one in time</title> timely")
	}})
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.spider("BatchTimeout 1s\n")
	late := w.join(1, "-N1")
	<-reached
	late.signal(t, syscall.SIGSTOP)
	w.until(`SELECT bool_or(deadline < now()) FROM schedule`)
	cmd, out := w.start("-N1") // it may have ended before anybody sees it
	timely := running{cmd, out}
	w.until(`SELECT count(*) = 1 FROM urlstate`)
	late.signal(t, syscall.SIGCONT)
	close(release)
	late.ends(t, exitDone)
	timely.ends(t, exitDone)
	if !strings.Contains(late.out.String(), "schedule lost to another fetcher") {
		t.Errorf("the late one does not say what happened:\n%s", late.out)
	}
	if got := w.one(`SELECT title, (SELECT attempts FROM urlstate), (SELECT count(*) FROM crawl_history) FROM urlwords`); got != "the one in time 1 1" {
		t.Errorf("title, attempts, history: %q, want that of the one in time", got)
	}
	if got := w.one(`SELECT attempt, reschedule_count, status::text FROM schedule`); got != "2 1 a" {
		t.Errorf("schedule: attempt, re-issues, status %q, want 2 1 a", got)
	}
}

// TestMergeWaitsForTheLowestOpenSchedule verifies that documents of later schedules do not enter the index
// before an earlier schedule is acknowledged (docs/reference/behavior.md, Schedules).
func TestMergeWaitsForTheLowestOpenSchedule(t *testing.T) {
	t.Parallel()
	quick, slow := spidertest.NewSite(t), spidertest.NewSite(t)
	quick.HTML("/", `early <a href="/a"></a>`)
	quick.HTML("/a", `later`)
	release := make(chan struct{})
	slow.Set("/", spidertest.Page{Serve: func(w http.ResponseWriter, _ *http.Request) {
		<-release
		fmt.Fprint(w, "<title>slow</title> between")
	}})
	slowURL := serveAt(t, slow, "127.0.0.2:0")
	w := newWorld(t, "Server "+quick.URL+"/\nServer "+slowURL+"/\n")
	crawl := w.join(1, "-N2", "--no-merge")
	w.until(`SELECT count(*) = 2 FROM journal`)
	order := w.rows(`SELECT s.seq, s.status::text, w.url FROM schedule s JOIN urlword w ON w.url_id = s.url_ids[1] ORDER BY s.seq`)
	want := []string{"1 a " + quick.URL + "/", "2 s " + slowURL + "/", "3 a " + quick.URL + "/a"}
	for len(order) == 3 && strings.HasPrefix(order[2], "3 s") { // it is just being acknowledged
		order = w.rows(`SELECT s.seq, s.status::text, w.url FROM schedule s JOIN urlword w ON w.url_id = s.url_ids[1] ORDER BY s.seq`)
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Fatalf("schedules (-want +got):\n%s", diff)
	}
	w.index("-D")
	words := func() []string { return w.rows(`SELECT word FROM wordurl WHERE urlcount > 0 ORDER BY word`) }
	if diff := cmp.Diff([]string{"early"}, words()); diff != "" {
		t.Errorf("words while schedule 2 is open (-want +got):\n%s", diff)
	}
	if got := w.one(`SELECT min(schedule_seq), count(*) FROM journal`); got != "3 1" {
		t.Errorf("journal: lowest schedule, rows %q, want 3 1", got)
	}
	close(release)
	crawl.ends(t, exitDone)
	// The next turn of the slow host comes later: twice the time that its answer took.
	if got := w.one(`SELECT turn_at > leased_at + interval '100 ms' FROM sitestate WHERE host = '127.0.0.2'`); got != "true" {
		t.Errorf("the turn of the slow host is moved: %s", got)
	}
	w.index("-D")
	if diff := cmp.Diff([]string{"between", "early", "later", "slow"}, words()); diff != "" {
		t.Errorf("words in the end (-want +got):\n%s", diff)
	}
}

// TestOneOfTwoLeaves stops one of two processes (F2). The other one takes over the rest, ends the run and
// merges.
func TestOneOfTwoLeaves(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 2, 40)
	undisturbed := newWorld(t, c.sets())
	undisturbed.index()
	w := newWorld(t, c.sets())
	open := c.hold()
	first, second := w.join(1, "-N3"), w.join(2, "-N3")
	first.signal(t, syscall.SIGTERM)
	open()
	first.ends(t, exitInterrupted)
	second.ends(t, exitDone)
	if diff := cmp.Diff(storetest.Dump(t, undisturbed.dsn), storetest.Dump(t, w.dsn)); diff != "" {
		t.Errorf("the tables differ from an undisturbed crawl's:\n%s", diff)
	}
	if got := w.rows(`SELECT kind, end_reason FROM reindexing ORDER BY run_id`); !cmp.Equal(got, []string{"crawl complete", "merge complete"}) {
		t.Errorf("runs: %q", got)
	}
	if got := w.one(`SELECT (SELECT documents FROM reindexing WHERE kind = 'crawl') = sum(documents), count(*), count(left_at) FROM process`); got != "true 2 2" {
		t.Errorf("the run's count is that of its processes, processes, of them left: %q", got)
	}
}

// TestOnlyTheSameCrawlIsJoined verifies that a crawl with other rules or other work is refused with the name
// of the run (exit code 4), that --takeover ends that run, and that -E ends all processes of a run.
func TestOnlyTheSameCrawlIsJoined(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 2, 5)
	w := newWorld(t, c.sets())
	open := c.hold()
	first := w.join(1, "--no-merge")
	for _, args := range [][]string{{"-a"}, {"-u", "http://%"}, {"--respider"}, {"-m"}} {
		code, _, errOut := w.try(args...)
		if code != exitHeld || !strings.Contains(errOut, "another crawl is running: run 1 of index ") {
			t.Errorf("index %v: exit %d, want %d and the run's name\n%s", args, code, exitHeld, errOut)
		}
	}
	w.sets(c.sets() + "Disallow zzz\n")
	if code, _, errOut := w.try(); code != exitHeld {
		t.Errorf("other rules: exit %d, want %d\n%s", code, exitHeld, errOut)
	}
	if code, _, errOut := w.try("-C", "-w"); code != exitHeld || !strings.Contains(errOut, "another crawl is running: index on ") {
		t.Errorf("-C: exit %d, want %d\n%s", code, exitHeld, errOut)
	}
	w.sets(c.sets())
	second := w.join(2, "-N2", "--no-merge") // its own number of workers

	third := running{}
	third.Cmd, third.out = w.start("--takeover", "--no-merge")
	w.until(`SELECT coalesce(stop_reason = 'continue', false) FROM crawl_control`)
	open()
	first.ends(t, exitInterrupted)
	second.ends(t, exitInterrupted)
	third.ends(t, exitDone)
	if got := w.rows(`SELECT run_id, end_reason FROM reindexing ORDER BY run_id`); !cmp.Equal(got, []string{"1 continue", "2 complete"}) {
		t.Errorf("runs: %q", got)
	}

	open = c.hold()
	fourth, fifth := w.join(1, "-a", "--no-merge"), w.join(2, "-a", "--no-merge")
	ended := make(chan string)
	go func() { _, out, _ := w.try("-E"); ended <- out }()
	w.until(`SELECT coalesce(stop_reason = 'stopped', false) FROM crawl_control`)
	open()
	fourth.ends(t, exitInterrupted)
	fifth.ends(t, exitInterrupted)
	if out := <-ended; out != "stopped\n" {
		t.Errorf("-E: %q", out)
	}
	if got := w.one(`SELECT end_reason FROM reindexing WHERE run_id = 3`); got != "stopped" {
		t.Errorf("the run ended as %s", got)
	}
}

// TestPauseOverProcesses verifies P11: two processes that fetch from one host keep its pause together, here that of robots.txt,
// which MinDelay does not shorten. Its first page waits, too.
func TestPauseOverProcesses(t *testing.T) {
	t.Parallel()
	const delay = time.Second
	var mu sync.Mutex
	var asked []time.Time
	site := spidertest.NewSite(t)
	var links strings.Builder
	for i := range 4 {
		fmt.Fprintf(&links, `<a href="/%d">x</a>`, i)
		site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf("page%d", i))
	}
	site.HTML("/", links.String())
	site.Pause(func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, time.Now())
		return 0
	})
	site.Set("/robots.txt", spidertest.Page{Type: "text/plain", Body: "User-agent: *\nCrawl-delay: 1\nDisallow: /nothing\n"})
	w := newWorld(t, "MinDelay 0\nServer "+site.URL+"/\n")
	w.spider("BatchSize 1\n")
	first, second := w.join(1, "-N2"), running{}
	second.Cmd, second.out = w.start("-N2")
	first.ends(t, exitDone)
	second.ends(t, exitDone)
	if got := w.one(`SELECT count(*) FROM urlword WHERE status = 200`); got != "5" {
		t.Errorf("%s documents, want 5", got)
	}
	for i := 1; i < len(asked); i++ {
		if gap := asked[i].Sub(asked[i-1]); gap < delay {
			t.Errorf("request %d came %v after the one before, want at least %v", i, gap, delay)
		}
	}
}
