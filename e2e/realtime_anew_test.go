package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// stopped is a program that waits at a fail point.
type stopped struct {
	t    testing.TB
	cmd  *exec.Cmd
	here string // the file that it waits for
	out  *bytes.Buffer
	done chan error
}

// stopsAt starts index with fail points and waits until it has reached one.
func (w *world) stopsAt(program, name string, args ...string) *stopped {
	w.t.Helper()
	s := &stopped{t: w.t, here: filepath.Join(w.t.TempDir(), "here"), out: &bytes.Buffer{}, done: make(chan error, 1)}
	s.cmd = exec.CommandContext(w.t.Context(), program, append([]string{"--config", w.dir}, args...)...)
	s.cmd.Env = append(os.Environ(), fmt.Sprintf("FAILPOINT=%s:1=wait:%s", name, s.here))
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { s.done <- s.cmd.Wait() }()
	for _, err := os.Stat(s.here); err != nil; _, err = os.Stat(s.here) {
		select {
		case err := <-s.done:
			w.t.Fatalf("index %s never came to %s: %v\n%s", strings.Join(args, " "), name, err, s.out)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return s
}

// goesOn lets the program continue to its end, which must be successful, and returns its output.
func (s *stopped) goesOn() string {
	s.t.Helper()
	if err := os.Remove(s.here); err != nil {
		s.t.Fatal(err)
	}
	if err := <-s.done; err != nil {
		s.t.Fatalf("%v\n%s", err, s.out)
	}
	return s.out.String()
}

// damagedRealtime returns a site with /, /b and /c, the last two changed by -T since the merge, and a
// real-time index that is damaged where it concerns /c.
func damagedRealtime(t *testing.T) (*world, *spidertest.Site) {
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/", `apple <a href="/b">b</a> <a href="/c">c</a>`)
	site.HTML("/b", `before`)
	site.HTML("/c", `before`)
	w.index()
	site.HTML("/b", `banana`)
	site.HTML("/c", `cherry`)
	w.index("-T", site.URL+"/b", "-T", site.URL+"/c")
	w.rows(`UPDATE wordurl1 SET totalcount = 7 WHERE word = 'cherry'`)
	return w, site
}

// TestRealtimeIsFoundWhileItIsMended verifies that documents that index -T reported as OK are found while -X2
// or --rebuild-index repairs the real-time index, not only after the next merge, whether -T ended before the
// repair, during it, or begins during it.
func TestRealtimeIsFoundWhileItIsMended(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	sound := map[string]string{"apple": "/", "banana": "/b", "before": "", "cherry": "/c"}
	// sees compares what searches find, like finds, while the index is damaged or half repaired.
	sees := func(w *world, when string, want map[string]string) {
		t.Helper()
		var words []string
		for word := range want {
			words = append(words, word)
		}
		got := w.found(words...)
		for _, word := range words {
			if got[word] != want[word] {
				w.t.Errorf("%s: %s is found in %q, want %q", when, word, got[word], want[word])
			}
		}
	}

	t.Run("-T ended before -X2", func(t *testing.T) {
		t.Parallel()
		w, _ := damagedRealtime(t)
		mend := w.stopsAt(program, "mend.after-realtime", "-X2")
		sees(w, "mended, not merged", sound)
		mend.goesOn()
		w.finds("merged", sound)
	})
	// -T has found the page unchanged and in the real-time index.
	t.Run("-T ends beside -X2", func(t *testing.T) {
		t.Parallel()
		w, site := damagedRealtime(t)
		visit := w.stopsAt(program, "doc.before-commit", "-T", site.URL+"/b")
		mend := w.stopsAt(program, "mend.after-realtime", "-X2")
		if out := visit.goesOn(); !strings.Contains(out, "Status: OK (T-0") {
			t.Errorf("-T said\n%s", out)
		}
		sees(w, "as -T returns", sound)
		mend.goesOn()
		w.finds("merged", sound)
	})
	t.Run("-T wants to write while -X2 does", func(t *testing.T) {
		t.Parallel()
		w, site := damagedRealtime(t)
		site.HTML("/b", `date`)
		mend := w.stopsAt(program, "realtime.before-commit", "-X2")
		visit, out := w.start("-T", site.URL+"/b")
		w.until(`SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND NOT l.granted AND l.objid = 102 AND a.datname = current_database())`)
		sees(w, "while both are at it", map[string]string{"banana": "/b", "date": ""})
		mend.goesOn()
		if err := visit.Wait(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sees(w, "as -T returns", map[string]string{"banana": "", "cherry": "/c", "date": "/b"})
		w.merged()
		w.finds("merged", map[string]string{"banana": "", "cherry": "/c", "date": "/b"})
	})
	// Its version is newer than the one the rebuild has read.
	t.Run("-T ends beside --rebuild-index", func(t *testing.T) {
		t.Parallel()
		w, site := damagedRealtime(t)
		rebuild := w.stopsAt(program, "rebuild.after-batch", "--rebuild-index")
		site.HTML("/b", `date`)
		w.index("-T", site.URL+"/b")
		rebuild.goesOn()
		now := map[string]string{"apple": "/", "banana": "", "before": "", "cherry": "/c", "date": "/b"}
		w.finds("rebuilt, not merged", now)
		w.merged()
		w.finds("merged", now)
	})
}

// TestRealtimeIsMadeAnew verifies that a rebuilt real-time index shows the same as before, whatever part of
// it was lost: pages that came, changed, left, became clones, or have words that no merge has registered yet.
func TestRealtimeIsMadeAnew(t *testing.T) {
	t.Parallel()
	program := withFailPoints(t)
	site := spidertest.NewSite(t)
	sets := "DeleteBad yes\nServer " + site.URL + "/\n"
	fill := newWorld(t, sets)
	fill.spider("MaxLostShare 100%\n")
	site.HTML("/", `apple <a href="/b"></a> <a href="/c"></a> <a href="/d"></a> <a href="/e"></a>`)
	for _, path := range []string{"/b", "/c", "/d", "/e"} {
		site.HTML(path, `before in`+path[1:])
	}
	fill.index()
	site.HTML("/b", `banana`)
	site.HTML("/c", `cherry`)
	site.HTML("/d", `banana`) // a clone
	site.Remove("/e")         // goes
	site.HTML("/new", `fresh`)
	fill.try("-T", site.URL+"/b", "-T", site.URL+"/c", "-T", site.URL+"/d", "-T", site.URL+"/e", "-T", site.URL+"/new")
	site.HTML("/c", `cherry damson`) // with a word that has no row: a crawl has it, and no merge
	fill.index("-a", "--no-merge")
	before := map[string]string{"apple": "/", "banana": "/b", "before": "", "cherry": "/c", "damson": "", "ine": "", "fresh": "/new"}
	fill.finds("before", before)
	after := maps.Clone(before)
	after["damson"] = "/c" // the newest version of what is shown
	for name, damage := range map[string]string{
		"a wrong count":       `UPDATE wordurl1 SET totalcount = totalcount + 1 WHERE word = 'cherry'`,
		"a lost word":         `DELETE FROM wordurl1 WHERE word = 'cherry'`,
		"all words":           `DELETE FROM wordurl1`,
		"all blobs":           `UPDATE wordurl1 SET urls = '\x00'`,
		"a lost document":     `DELETE FROM rt_urls WHERE url_id = (SELECT url_id FROM urlword WHERE url LIKE '%/c')`,
		"all documents":       `DELETE FROM rt_urls`,
		"documents and blobs": `WITH a AS (DELETE FROM rt_urls) UPDATE wordurl1 SET urls = '\x00'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fill.copy(t, sets)
			w.spider("MaxLostShare 100%\n")
			w.rows(damage)
			mend := w.stopsAt(program, "mend.after-realtime", "-X2")
			w.finds("made anew", after)
			mend.goesOn()
			w.finds("merged", after)
		})
	}
}
