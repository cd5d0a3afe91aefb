package e2e

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// moments returns how often the kill tests kill: a sample in make test, all in make soak.
func moments() int {
	if soak() {
		return 20
	}
	return 2 // lives with up to three kills each
}

// maze serves n pages, seeded: clones, redirects, dead links, noindex pages. Each answers after some
// milliseconds, so that a kill meets every state.
func maze(t *testing.T, seed uint64, n int) *spidertest.Site { return mazeOf(t, seed, n, 2000) }

// mazeOf is maze with at most so many different words.
func mazeOf(t *testing.T, seed uint64, n, words int) *spidertest.Site {
	site := spidertest.NewSite(t)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		var b strings.Builder
		switch kind := random.IntN(20); {
		case i > 0 && kind == 0:
			site.Set(fmt.Sprintf("/%d", i), spidertest.Page{Status: 302, Header: map[string]string{"Location": fmt.Sprintf("/%d", random.IntN(n))}})
			continue
		case i > 0 && kind == 1:
			site.Remove(fmt.Sprintf("/%d", i)) // a dead link
			continue
		case i > 0 && kind == 2:
			b.WriteString(`<meta name="robots" content="noindex">`)
		case i > 0 && kind < 5: // a clone of others
			fmt.Fprintf(&b, `<title>copy %d</title>the same words again in maze %d <a href="/0">home</a>`, random.IntN(3), seed)
			site.HTML(fmt.Sprintf("/%d", i), b.String())
			continue
		}
		fmt.Fprintf(&b, "<title>page %d</title><body>", i)
		for range 25 {
			fmt.Fprintf(&b, "word%d ", random.IntN(1+random.IntN(words)))
		}
		for k := range 4 {
			fmt.Fprintf(&b, `<a href="/%d">x</a> `, []int{2*i + 1, 2*i + 2, random.IntN(n), random.IntN(n)}[k]%n)
		}
		site.HTML(fmt.Sprintf("/%d", i), b.String())
	}
	site.Pause(func() time.Duration { return rand.N(8 * time.Millisecond) })
	return site
}

// start starts index as a separate process.
func (w *world) start(args ...string) (*exec.Cmd, *bytes.Buffer) {
	w.t.Helper()
	cmd := w.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	return cmd, &out
}

// killed runs index, kills it after a time, and reports whether it was still running.
func (w *world) killed(after time.Duration, args ...string) bool {
	w.t.Helper()
	cmd, _ := w.start(args...)
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	return err != nil
}

// TestKillCrawl kills a crawl at random moments and runs it again. It must end in the same state as an
// undisturbed crawl.
func TestKillCrawl(t *testing.T) {
	t.Parallel()
	site := maze(t, 3, 200)
	undisturbed := newWorld(t, "Server "+site.URL+"/0\n")
	began := time.Now()
	undisturbed.index()
	whole := time.Since(began)
	want := storetest.Dump(t, undisturbed.dsn)

	random := rand.New(rand.NewPCG(11, 5))
	kills := 0
	for n := range moments() {
		w := newWorld(t, "Server "+site.URL+"/0\n")
		for range 3 { // several kills in one life
			if w.killed(20*time.Millisecond + time.Duration(random.Int64N(int64(whole*5/4)))) {
				kills++
				storetest.CheckInvariants(t, w.dsn)
			}
		}
		w.index()
		if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
			t.Fatalf("moment %d: the tables differ from an undisturbed crawl's (-undisturbed +killed):\n%s", n, diff)
		}
	}
	// On a busy machine the undisturbed crawl may have been so slow that every kill came too late.
	for after := whole / 2; kills == 0 && after > time.Millisecond; after /= 2 {
		w := newWorld(t, "Server "+site.URL+"/0\n")
		if w.killed(after) {
			kills++
		}
		storetest.CheckInvariants(t, w.dsn)
		w.index()
		if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
			t.Fatalf("killed after %v: the tables differ from an undisturbed crawl's (-undisturbed +killed):\n%s", after, diff)
		}
	}
	if kills == 0 {
		t.Error("no kill met a running crawl")
	}
}

// TestKillMerge does the same with index -D, over a journal with new, changed and removed documents.
func TestKillMerge(t *testing.T) {
	t.Parallel()
	site := maze(t, 5, 150)
	sets := "Server " + site.URL + "/0\n"
	fill := newWorld(t, sets)
	fill.index()
	for i := range 20 {
		site.HTML(fmt.Sprintf("/%d", 3*i), fmt.Sprintf(`<title>new %d</title>changed words of %d <a href="/%d">x</a>`, i, i, i+1))
	}
	site.Set("/1", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/2"}})
	fill.index("-a", "--no-merge")
	undisturbed := fill.copy(t, sets)
	began := time.Now()
	cmd, out := undisturbed.start("-D")
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	whole := time.Since(began)
	want := storetest.Dump(t, undisturbed.dsn)

	random := rand.New(rand.NewPCG(13, 5))
	for n := range moments() {
		w := fill.copy(t, sets)
		for range 2 {
			if w.killed(time.Duration(random.Int64N(int64(whole))), "-D") {
				storetest.CheckInvariants(t, w.dsn)
			}
		}
		w.index("-D")
		if diff := cmp.Diff(want, storetest.Dump(t, w.dsn)); diff != "" {
			t.Fatalf("moment %d: the tables differ from an undisturbed merge's (-undisturbed +killed):\n%s", n, diff)
		}
		before := w.versions()
		w.index("-D")
		if diff := cmp.Diff(before, w.versions()); diff != "" {
			t.Errorf("moment %d: a third merge changed rows:\n%s", n, diff)
		}
	}
}

// TestSignalEndsCrawl verifies that SIGTERM ends a crawl with exit code 130 in time, and that the next crawl
// ends in the same state as an undisturbed one.
func TestSignalEndsCrawl(t *testing.T) {
	t.Parallel()
	site := maze(t, 9, 120)
	undisturbed := newWorld(t, "Server "+site.URL+"/0\n")
	undisturbed.index()

	w := newWorld(t, "Server "+site.URL+"/0\n")
	cmd, out := w.start()
	for w.one(`SELECT count(*) > 3 FROM urlstate`) != "true" {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted && code != exitDone {
		t.Fatalf("exit %d (%v), want %d\n%s", code, err, exitInterrupted, out)
	}
	if got := w.one(`SELECT count(*) FROM schedule WHERE status = 's'`); got != "0" {
		t.Errorf("%s schedules are left open", got)
	}
	w.index()
	if diff := cmp.Diff(storetest.Dump(t, undisturbed.dsn), storetest.Dump(t, w.dsn)); diff != "" {
		t.Errorf("the tables differ from an undisturbed crawl's:\n%s", diff)
	}
}
