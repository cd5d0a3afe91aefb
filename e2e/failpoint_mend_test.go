package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store/embedded"
	"github.com/pgseek/pgseek/store/storetest"
)

// pendingMend is the database of a pendingMerge with damage everywhere, for -X2 and --rebuild-index to mend. old has what
// searches find in spite of the damage, merged what they find after the mending.
type pendingMend struct {
	*pendingMerge
	cleared map[string]bool // words that -X2 takes away for a time: its merge brings them back
}

// Damages that leave what word_postings can read, so that one can look in between. SMALL is a word in wordurl, LARGE one in wordfile.
const (
	indexIsDamaged = `
		UPDATE wordurl SET urls = set_byte(urls, octet_length(urls) - 2, 200) WHERE word = 'SMALL';
		UPDATE wordurl SET urlcount = urlcount + 1 WHERE word = 'LARGE';
		DELETE FROM docwords WHERE url_id % 16 = 3;
		UPDATE docwords SET words = substr(words, 1, 6) WHERE url_id % 16 = 4;
		INSERT INTO docwords VALUES (99999, 1, '\x01010101');
		UPDATE totals SET postings = postings + 1;
		UPDATE wordurl1 SET totalcount = totalcount + 1 WHERE word_id % 2 = 0;
		DELETE FROM wordurl1 WHERE word = 'time'`
	// What --rebuild-index does not look at.
	restIsDamaged = `
		INSERT INTO journal (run_id, url_id, site_id, status) VALUES (1, 99999, 1, 200);
		UPDATE journal SET words = '\x0101020304050607' WHERE seq = (SELECT min(seq) FROM journal WHERE words IS NOT NULL);
		INSERT INTO markdel (url_id, site_id, run_id, reason) SELECT url_id, site_id, 1, 'T-18' FROM urlword WHERE url_id = (
			SELECT min(w.url_id) FROM urlword w WHERE w.deleted = 0 AND status_base(w.status) = 200 AND w.origin = 0
				AND w.url_id NOT IN (SELECT m.url_id FROM markdel m UNION SELECT j.url_id FROM journal j));
		DELETE FROM citation WHERE url_id % 16 = 5;
		UPDATE wordsite SET sites = '{77}'`
)

// damage makes a pendingMend for index with an argument.
func (p *pendingMerge) damage(damages, arg string) *pendingMend {
	p.t.Helper()
	w := p.copy()
	m := &pendingMend{cleared: map[string]bool{}}
	small := w.one(`SELECT min(word) FROM wordurl WHERE urlcount = 3 AND word LIKE 'word%'`)
	large := w.one(`SELECT min(word) FROM wordurl WHERE urls = '' AND urlcount > 0`)
	if arg == "-X2" {
		m.cleared[large] = true
	}
	for sql := range strings.SplitSeq(strings.NewReplacer("SMALL", small, "LARGE", large).Replace(damages), ";") {
		w.rows(sql)
	}
	m.pendingMerge = &pendingMerge{t: p.t, program: p.program, fill: w, args: []string{arg}, old: p.documents(w), merged: p.merged}
	if code, out, _ := w.try("-X1"); code != exitDamaged {
		p.t.Fatalf("-X1 ended with %d\n%s", code, out)
	}
	if cmp.Equal(m.old, m.merged) || cmp.Equal(m.old, p.old) {
		p.t.Fatal("nothing differs that a search would find")
	}
	return m
}

// between fails the test when a document is a mixture of what it was and what it is to be. A word that -X2 clears may be missing.
func (p *pendingMend) between(what string, w *world) {
	p.t.Helper()
	now := p.documents(w)
	for _, all := range []documents{p.old, p.merged, now} {
		for url := range all {
			for word := range p.cleared {
				if where := now[url][word]; where != "" && where != p.old[url][word] && where != p.merged[url][word] {
					p.t.Errorf("%s: %s has %s %s, neither as it was nor as it is to be", what, url, word, where)
				}
			}
			rest, old, merged := p.rest(now[url]), p.rest(p.old[url]), p.rest(p.merged[url])
			if !maps.Equal(rest, old) && !maps.Equal(rest, merged) {
				p.t.Errorf("%s: %s is neither old nor new: (-old +now)\n%s(-new +now)\n%s", what, url, cmp.Diff(old, rest), cmp.Diff(merged, rest))
			}
		}
	}
}

// rest are the words of a document that nobody clears.
func (p *pendingMend) rest(words map[string]string) map[string]string {
	words = maps.Clone(words)
	maps.DeleteFunc(words, func(word, _ string) bool { return p.cleared[word] })
	return words
}

// ends runs it again, which makes the exact index, and once more, which changes nothing.
func (p *pendingMend) ends(what string, w *world) {
	p.t.Helper()
	p.between(what, w)
	w.index(p.args...)
	if code, out, errOut := w.try("-X1"); code != exitDone {
		p.t.Errorf("%s: -X1 ended with %d\n%s%s", what, code, out, errOut)
	}
	storetest.CheckInvariants(p.t, w.dsn)
	if diff := cmp.Diff(w.contents(), w.postings()); diff != "" {
		p.t.Errorf("%s: postings (-contents +index):\n%s", what, diff)
	}
	if diff := cmp.Diff(p.merged, p.documents(w)); diff != "" {
		p.t.Errorf("%s: what is found (-undisturbed +disturbed):\n%s", what, diff)
	}
	before := w.versions()
	w.index(p.args...)
	if diff := cmp.Diff(before, w.versions()); diff != "" {
		p.t.Errorf("%s: a third run changed rows:\n%s", what, diff)
	}
	if p.t.Failed() {
		p.t.FailNow()
	}
}

// mendings are the two ways of mending, each with the fail points that are its own.
var mendings = []struct {
	arg, damages string
	points       []string
}{
	{"-X2", indexIsDamaged + ";" + restIsDamaged, []string{
		"mend.after-begin", "mend.after-strays", "mend.after-clear", "mend.before-commit", "mend.after-commit", "realtime.before-commit",
		"mend.after-realtime", "mend.after-labels", "mend.before-merge", "mend.before-links",
	}},
	{"--rebuild-index", indexIsDamaged, []string{
		"rebuild.after-begin", "merge.mid-write", "rebuild.after-batch", "rebuild.mid-swap", "rebuild.after-swap", "realtime.before-commit",
		"rebuild.after-realtime", "rebuild.mid-recount", "rebuild.before-drop",
	}},
}

// points are the fail points that are tried. The merge at the end of -X2 is that of killMergeAtEveryFailPoint: all its own points are
// tried in soak only.
func (p *pendingMend) points(must []string) (list []point) {
	p.t.Helper()
	for _, at := range sampled(p.pendingMerge.points(must...)) {
		if p.args[0] != "-X2" || !strings.HasPrefix(at.name, "merge.") || soak() {
			list = append(list, at)
		}
	}
	return list
}

// in is the same for a subtest.
func (p *pendingMend) in(t *testing.T) *pendingMend {
	return &pendingMend{pendingMerge: p.pendingMerge.in(t), cleared: p.cleared}
}

// killMendingAtEveryFailPoint kills -X2 and --rebuild-index at each fail point. Each document must be old or
// new, never a mixture. The next run must end in the exact index, and one more run must change nothing (P3,
// P15, F10).
func killMendingAtEveryFailPoint(t *testing.T, pending *pendingMerge) {
	killed := func(p *pendingMend, at point) {
		t.Run(fmt.Sprintf("%s %s %d", p.args[0], at.name, at.nth), func(t *testing.T) {
			t.Parallel()
			p := p.in(t)
			w := p.copy()
			if ok, _ := p.run(w, fmt.Sprintf("FAILPOINT=%s:%d=kill", at.name, at.nth)); ok {
				t.Fatal("it was not killed")
			}
			p.ends("killed", w)
		})
	}
	for _, m := range mendings {
		p := pending.damage(m.damages, m.arg)
		for _, at := range every(2, 0, p.points(m.points)) {
			killed(p, at)
		}
	}
	// The next one finds nothing any more: all that is left waits for its merge.
	killed(pending.damage(indexIsDamaged, "-X2"), point{"mend.before-merge", 1})
}

// serverDiesUnderMending: the same when the database ends at once, and comes back. They go on by themselves, or the next ones do.
func serverDiesUnderMending(pending *pendingMerge, cluster *embedded.Cluster) {
	for _, m := range mendings {
		p := pending.damage(m.damages, m.arg)
		for _, at := range every(4, 1, p.points(m.points)) {
			w := p.copy()
			p.serverDies(w, cluster, at)
			pending.fill.pool.Reset()
			p.ends(fmt.Sprintf("%s, server died at %s, time %d", m.arg, at.name, at.nth), w)
		}
	}
}
