package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// indexed returns the part of a dump about documents and postings. Words without documents are left out.
func indexed(t testing.TB, dsn string) (lines []string) {
	for _, line := range storetest.Dump(t, dsn) {
		switch part, _, _ := strings.Cut(line, " "); part {
		case "url", "clones", "content", "link", "posting", "citation", "wordsite":
			lines = append(lines, line)
		}
	}
	return lines
}

// edit changes some pages of a maze: new words, clones of each other, one removed page.
func edit(site *spidertest.Site, round int) {
	for i := 2; i < 60; i += 3 {
		switch i % 4 {
		case 0:
			site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf(`<title>copy</title>edited the same in round %d <a href="/0">home</a>`, round))
		case 1:
			site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf(`<title>page %d</title>edited%d word%d <a href="/%d">x</a>`, i, round, i*round%40, i+1))
		case 2:
			site.HTML(fmt.Sprintf("/%d", i), fmt.Sprintf(`<title>copy %d</title>the same words again <a href="/%d">x</a>`, i%8, i%8))
		}
	}
	site.Remove(fmt.Sprintf("/%d", 10+round))
}

// lists writes files of URLs of a site. Each file has random pages, so that the files overlap.
func (w *world) lists(site *spidertest.Site, pages, n int) (files []string) {
	random := rand.New(rand.NewPCG(uint64(pages), 7))
	for k := range n {
		var b strings.Builder
		for range 25 {
			fmt.Fprintf(&b, "%s/%d\n", site.URL, random.IntN(pages))
		}
		name := fmt.Sprintf("list%d", k)
		w.write(name, b.String())
		files = append(files, w.dir+"/"+name)
	}
	return files
}

// TestRealtimeBesideCrawlAndMerge verifies that several -T of the same and of different URLs, a crawl and
// merges, all at the same time, end in the same state as a crawl and a merge of the same pages.
func TestRealtimeBesideCrawlAndMerge(t *testing.T) {
	t.Parallel()
	site := maze(t, 31, 80)
	w := newWorld(t, "Server "+site.URL+"/0\n")
	files := w.lists(site, 80, 4)
	for round := range 3 {
		if round > 0 {
			edit(site, round)
		}
		var crawl, others sync.WaitGroup
		var over atomic.Bool
		run := func(group *sync.WaitGroup, fine func(int) bool, args ...string) {
			group.Go(func() {
				for again := true; again; again = group == &others && !over.Load() {
					if code, out, errOut := w.try(args...); !fine(code) {
						t.Errorf("index %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errOut)
					}
				}
			})
		}
		run(&crawl, func(code int) bool { return code == exitDone }, "-a", "--no-merge")
		for _, f := range files {
			run(&others, func(code int) bool { return code == exitDone || code == exitFailed }, "-T", "-f", f)
		}
		run(&others, func(code int) bool { return code == exitDone }, "-D")
		crawl.Wait()
		over.Store(true)
		others.Wait()
		w.check()
		w.index("-a") // what -T took first, a crawl may have found in an older state
		w.check()
		plain := newWorld(t, "Server "+site.URL+"/0\n")
		plain.index()
		if round == 0 { // later, what is gone is lost here and was never there in a new index
			if diff := cmp.Diff(indexed(t, plain.dsn), indexed(t, w.dsn)); diff != "" {
				t.Errorf("round %d (-plain +beside):\n%s", round, diff)
			}
		}
	}
}

// TestKillRealtime kills -T at random moments: each document must be recorded completely or not at all. Run
// again and merged, the index must equal that of an undisturbed -T.
func TestKillRealtime(t *testing.T) {
	t.Parallel()
	site := maze(t, 33, 60)
	undisturbed := newWorld(t, "Server "+site.URL+"/0\n")
	undisturbed.index()
	all := strings.Join(undisturbed.rows(`SELECT url FROM urlword ORDER BY url_id`), "\n")
	want := indexed(t, undisturbed.dsn)

	timed := newWorld(t, "Server "+site.URL+"/0\n")
	timed.write("list", all)
	began := time.Now()
	timed.try("-T", "-f", timed.dir+"/list")
	whole := time.Since(began)

	random := rand.New(rand.NewPCG(17, 5))
	kills := 0
	for n := range moments() {
		w := newWorld(t, "Server "+site.URL+"/0\n")
		w.write("list", all)
		for range 3 {
			if w.killed(time.Duration(random.Int64N(int64(whole))), "-T", "-f", w.dir+"/list") {
				kills++
				w.check()
			}
			if w.killed(time.Duration(random.Int64N(int64(whole/2))), "-D") {
				w.check()
			}
		}
		w.try("-T", "-f", w.dir+"/list")
		w.check()
		postings := func(lines []string) (list []string) {
			for _, line := range lines {
				if strings.HasPrefix(line, "posting ") {
					list = append(list, line)
				}
			}
			return list
		}
		if diff := cmp.Diff(postings(want), postings(indexed(t, w.dsn))); diff != "" {
			t.Errorf("moment %d: what is found (-undisturbed +killed):\n%s", n, diff)
		}
		w.merged()
		if diff := cmp.Diff(want, indexed(t, w.dsn)); diff != "" {
			t.Fatalf("moment %d: the tables (-undisturbed +killed):\n%s", n, diff)
		}
	}
	// On a busy machine the undisturbed -T may have been so slow that every kill came too late.
	for after := whole / 2; kills == 0 && after > time.Millisecond; after /= 2 {
		w := newWorld(t, "Server "+site.URL+"/0\n")
		w.write("list", all)
		if w.killed(after, "-T", "-f", w.dir+"/list") {
			kills++
		}
		w.check()
	}
	if kills == 0 {
		t.Error("no kill met a running -T")
	}
}

// TestRealtimeBesideMending runs several -T of the same and of different URLs while the real-time index is
// damaged and repaired repeatedly: there must be no deadlock, no false report of damage, and in the end the
// index of the stored contents.
func TestRealtimeBesideMending(t *testing.T) {
	t.Parallel()
	site := maze(t, 37, 60)
	w := newWorld(t, "Server "+site.URL+"/0\n")
	w.index()
	var others sync.WaitGroup
	var over atomic.Bool
	for _, f := range w.lists(site, 60, 3) {
		others.Go(func() {
			for !over.Load() {
				if code, out, errOut := w.try("-T", "-f", f); code != exitDone && code != exitFailed { // what is gone is told
					t.Errorf("-T: exit %d\n%s%s", code, out, errOut)
				}
			}
		})
	}
	for round := range 6 {
		edit(site, round)
		w.until(`SELECT EXISTS (SELECT FROM wordurl1)`)
		w.rows(`UPDATE wordurl1 SET totalcount = totalcount + 1`)
		args := []string{"-X2", "--rebuild-index"}[round%2]
		if code, out, errOut := w.try(args); code != exitDone {
			t.Errorf("%s: exit %d\n%s%s", args, code, out, errOut)
		}
	}
	over.Store(true)
	others.Wait()
	w.merged()
	if diff := cmp.Diff(w.contents(), w.postings()); diff != "" {
		t.Errorf("postings (-contents +index):\n%s", diff)
	}
}
