package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// shownHash matches the hash by which a configuration is accepted.
var shownHash = regexp.MustCompile(`--accept-rules=([0-9a-f]{12}) accepts`)

// accept adds to the arguments of index that the configuration is accepted, if a crawl would stop for it.
func (w *world) accept(args ...string) []string {
	w.t.Helper()
	if shown := shownHash.FindStringSubmatch(w.index("--dry-run-rules")); shown != nil {
		args = append(args, "--accept-rules="+shown[1])
	}
	return args
}

// stopped runs index, which must end with exit code 2, change nothing and say each of the texts. It returns what it said.
func (w *world) stopped(args []string, say ...string) string {
	w.t.Helper()
	before := w.everything()
	code, out, errOut := w.try(args...)
	if code != exitUsage || out != "" {
		w.t.Errorf("index %v: exit %d, want %d\n%s%s", args, code, exitUsage, out, errOut)
	}
	if diff := cmp.Diff(before, w.everything()); diff != "" {
		w.t.Errorf("index %v: tables changed:\n%s", args, diff)
	}
	for _, text := range say {
		if !strings.Contains(errOut, text) {
			w.t.Errorf("index %v: %q is not said:\n%s", args, text, errOut)
		}
	}
	return errOut
}

// TestRulesGate verifies that a slip in sets.cnf stops the crawl before it changes or asks for anything, however often it is
// tried, and that nothing is fetched again after the slip is mended.
func TestRulesGate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, sets string
		args, say  []string
	}{
		{
			"Disallow on top", "Disallow .*\nServer SITE/\n", nil,
			[]string{"would take 15 of 15 documents out", "sets.cnf:1 Disallow .*: 15", "no document would be left of SITE/ (15)"},
		},
		{
			"another port", "Server OTHER/\n", nil,
			[]string{"would take 15 of 15 documents out", "no Server line for this site: 15; nothing was changed"},
		},
		{"no Server line", "", []string{"-q"}, []string{"would take 15 of 15 documents out", "no Server line for this site: 15"}},
		{"MaxHops", "MaxHops 0\nServer SITE/\n", nil, []string{"would take 14 of 15 documents out", "sets.cnf:2 deeper than MaxHops 0: 14"}},
		{"Index no", "Index no\nServer SITE/\n", nil, []string{"15 of 15", "sets.cnf:2 Index no: 15", "left of SITE/ (15)"}},
		{"CheckOnly", "CheckOnly /secret/\nServer SITE/\n", []string{"-a"}, []string{"12 of 15", "sets.cnf:1 CheckOnly /secret/: 12"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			site, other := forest(t, 12), spidertest.NewSite(t)
			names := strings.NewReplacer("SITE", site.URL, "OTHER", other.URL)
			w := newWorld(t, names.Replace("Server SITE/\n"))
			w.index()
			fetched := w.one(`SELECT count(*) FROM crawl_history`)
			site.Forget()
			w.sets(names.Replace(c.sets))
			for range 2 {
				said := w.stopped(c.args, "hint: index --dry-run-rules shows which")
				for _, text := range c.say {
					if !strings.Contains(said, names.Replace(text)) {
						t.Errorf("%q is not said:\n%s", names.Replace(text), said)
					}
				}
			}
			if n := len(site.Requests()) + len(other.Requests()); n != 0 {
				t.Errorf("%d requests", n)
			}
			w.sets(names.Replace("Server SITE/\n"))
			w.index("-q")
			if got := w.one(`SELECT count(*) FROM crawl_history`); got != fetched || len(site.Requests()) != 0 {
				t.Errorf("mended: %s visits, want %s; %d requests, want none", got, fetched, len(site.Requests()))
			}
			if got := w.one(`SELECT count(*) FROM word_postings('hidden')`); got != "12" {
				t.Errorf("mended: %s documents are found, want 12", got)
			}
		})
	}
}

// TestRulesGateLimits verifies where the gate closes: above MaxLostShare of all documents, and for the last document of a
// site, however small, that still has a Server line.
func TestRulesGateLimits(t *testing.T) {
	t.Parallel()
	site, small := forest(t, 7), spidertest.NewSite(t)
	small.HTML("/", "alone")
	servers := "Server " + site.URL + "/\nServer " + small.URL + "/\n"
	w := newWorld(t, servers) // 10 and 1 documents
	w.index()
	w.sets("Disallow /secret/[0-3]\n" + servers)
	w.stopped(nil, "would take 4 of 11 documents out")
	w.sets("Disallow /secret/[0-2]\n" + servers)
	w.index()
	if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 1`); got != "3" {
		t.Errorf("below the share: %s documents hidden, want 3", got)
	}
	w.sets("Disallow /secret/[0-2] ^" + small.URL + "\n" + servers)
	w.stopped(nil, "would take 1 of 8 documents out", "no document would be left of "+small.URL+"/ (1)")
	w.sets("Disallow /secret/[0-2]\nServer " + site.URL + "/\n")
	w.index() // its Server line is gone, too
	if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 1`); got != "4" {
		t.Errorf("without its Server line: %s documents hidden, want 4", got)
	}
	w.sets("Disallow /secret/\nServer " + site.URL + "/\n")
	w.stopped(nil, "would take 4 of 7 documents out")
	w.spider("MaxLostShare 60%\n")
	w.index()
	if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 1`); got != "8" {
		t.Errorf("a larger share: %s documents hidden, want 8", got)
	}
}

// TestRulesGateWithoutDocuments verifies that a database without live documents has no gate.
func TestRulesGateWithoutDocuments(t *testing.T) {
	t.Parallel()
	site := forest(t, 1)
	w := newWorld(t, "Disallow /secret/ /$\nServer "+site.URL+"/\n")
	w.index("-n", "1")
	w.sets("Disallow .*\nServer " + site.URL + "/\n")
	w.index("-n", "1")
	w.check()
}

// TestRulesGateAccepts verifies that --accept-rules accepts exactly the configuration whose hash was shown, by the crawl or
// beforehand, and once: after another configuration the documents are counted again.
func TestRulesGateAccepts(t *testing.T) {
	t.Parallel()
	site := forest(t, 12)
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, server)
	w.index()
	hidden := func(want string) {
		t.Helper()
		if got := w.one(`SELECT count(*) FROM urlword WHERE deleted = 1`); got != want {
			t.Errorf("%s documents hidden, want %s", got, want)
		}
	}
	w.sets("Disallow .*\n" + server)
	everything := "--accept-rules=" + shownHash.FindStringSubmatch(w.stopped(nil))[1]
	w.sets("Disallow /secret/\n" + server)
	w.stopped([]string{everything}, everything+" accepts another configuration")
	forest := "--accept-rules=" + shownHash.FindStringSubmatch(w.index("--dry-run-rules"))[1]
	w.index(forest)
	hidden("12")
	w.index(forest) // a crontab may keep it
	w.index("-a")
	hidden("12")
	w.sets(server)
	w.index(forest)
	hidden("0")
	w.sets("Disallow /secret/\n" + server)
	w.stopped(nil, forest)
	w.index(forest)
	hidden("12")
	for _, bad := range []string{"--accept-rules=yes", "--accept-rules=ABCDEF012345"} {
		if code, _, errOut := w.try(bad); code != exitUsage || !strings.Contains(errOut, "want the hash") {
			t.Errorf("%s: exit %d, %s", bad, code, errOut)
		}
	}
	w.check()
}
