package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// realtimeDamages are statements that damage the real-time index, each with a part of the report of -X1.
var realtimeDamages = []struct{ name, sql, want string }{
	{"a blob that is cut", `UPDATE wordurl1 SET urls = substr(urls, 1, octet_length(urls) - 1) WHERE word = 'banana'`, `wordurl1: "banana": corrupt`},
	{"a flipped position", `UPDATE wordurl1 SET urls = set_byte(urls, octet_length(urls) - 2, 99) WHERE word = 'banana'`, "wordurl1: url 1: "},
	{"a wrong count", `UPDATE wordurl1 SET totalcount = 7 WHERE word = 'banana'`, `wordurl1: "banana": urlcount 1, totalcount 7`},
	{"a word that is not there", `UPDATE wordurl1 SET word_id = 4711 WHERE word = 'banana'`, `wordurl1: "banana": wordurl has no such word`},
	{"a lost word", `DELETE FROM wordurl1 WHERE word = 'banana'`, "rt_urls: url 1: its 2 words do not match its 1 words in wordurl1"},
	{"words that are cut", `UPDATE rt_urls SET words = substr(words, 1, octet_length(words) - 1)`, "rt_urls: url 1: words: corrupt"},
	{"words of another version", `UPDATE rt_urls SET words = set_byte(words, 0, 9)`, "rt_urls: url 1: words: "},
	{"no words", `UPDATE rt_urls SET words = '\x0100'`, "rt_urls: url 1: its 0 words do not match its 2 words in wordurl1"},
	{"a lost document", `DELETE FROM rt_urls`, "wordurl1: url 1 "},
	{"no journal row", `DELETE FROM journal`, "rt_urls: url 1: its journal row"},
	{"everything", `WITH a AS (UPDATE wordurl1 SET urls = '\x00') UPDATE rt_urls SET words = '\x'`, "rt_urls: url 1: words: "},
}

// TestDamagedRealtimeIsMended verifies that -X1 names damage in wordurl1 and rt_urls (P15). After -X2
// searches find what they found before, and merges work. The same holds after --rebuild-index and its next
// merge.
func TestDamagedRealtimeIsMended(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/", `apple <a href="/b">b</a>`)
	site.HTML("/b", `apple cherry`)
	w.index()
	for i, c := range realtimeDamages {
		for k, mend := range []string{"-X2", "--rebuild-index"} {
			if k > 0 && i%3 > 0 {
				continue // both mend it by the same code
			}
			t.Run(c.name+" "+mend, func(t *testing.T) {
				w.t = t
				site.HTML("/", `date <a href="/b">b</a>`)
				w.index("-T", site.URL+"/")
				site.HTML("/", `banana <a href="/b">b</a>`)
				w.index("-T", site.URL+"/")
				want := map[string]string{"apple": "/b", "banana": "/", "cherry": "/b"}
				w.finds("before", want)
				w.rows(c.sql)
				code, out, _ := w.try("-X1")
				if code != exitDamaged || !strings.Contains(out, c.want) || !strings.Contains(out, "index -X2 mends it") {
					t.Errorf("-X1 ended with %d, want %q, got\n%s", code, c.want, out)
				}
				if code, out, errOut := w.try(mend); code != exitDone {
					t.Fatalf("it ended with %d\n%s%s", code, out, errOut)
				}
				w.index("-D")
				w.finds("mended", want)
				if code, out, _ := w.try("-X1"); code != exitDone {
					t.Errorf("after it -X1 ended with %d\n%s", code, out)
				}
				if d := cmp.Diff("0", w.one(`SELECT (SELECT count(*) FROM wordurl1) + (SELECT count(*) FROM rt_urls)`)); d != "" {
					t.Errorf("real-time rows (-want +got):\n%s", d)
				}
				w.check()
			})
		}
	}
}
