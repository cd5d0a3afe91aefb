package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store"
)

// TestPostingsAreThoseOfTheContents verifies after random sequences of versions, clones, removals, redirects,
// -T, -D, purges and compactions that the merged postings are those of the stored contents: of documents that
// -T indexed at once, of all documents after -D. The test reads blobs by offsets and contents with
// compress/gzip, without any code that wrote them.
func TestPostingsAreThoseOfTheContents(t *testing.T) {
	seeds := 3
	if soak() {
		seeds = 100
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			p := &randomSite{random: rand.New(rand.NewPCG(uint64(seed), 21)), site: spidertest.NewSite(t)}
			p.world = newWorld(t, "HostLoad * 0 24 4\nServer "+p.site.URL+"/\n")
			p.spider("MaxLostShare 100%\n")
			for i := range shelfSize {
				p.edit(i)
			}
			p.index()
			var done []string
			for range 14 {
				for range 1 + p.random.IntN(8) {
					p.edit(p.random.IntN(shelfSize))
				}
				done = append(done, p.step())
				if t.Failed() {
					t.Fatalf("after: %s", strings.Join(done, "; "))
				}
			}
		})
	}
}

// randomSite is a site whose pages change at random.
type randomSite struct {
	*world
	random *rand.Rand
	site   *spidertest.Site
	texts  [shelfSize][]string // what each page had last
}

const shelfSize = 24

// edit gives page i another content or status.
func (p *randomSite) edit(i int) {
	path := fmt.Sprintf("/%d", i)
	if i == 0 {
		path = "/"
	}
	kind := p.random.IntN(12)
	switch {
	case i > 0 && kind == 0:
		p.site.Remove(path)
		return
	case i > 0 && kind == 1:
		p.site.Set(path, spidertest.Page{Status: 302, Header: map[string]string{"Location": fmt.Sprintf("/%d", 1+p.random.IntN(shelfSize-1))}})
		return
	case i > 0 && kind == 2:
		p.site.HTML(path, fmt.Sprintf("<title>copy</title>the same copy number%d", p.random.IntN(2)))
		return
	case i > 0 && kind == 3:
		p.site.HTML(path, `<meta name="robots" content="noindex">not for searches`)
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<title>page %d</title><body>%s ", p.random.IntN(5), strings.Join(p.words(i), " "))
	if i == 0 {
		for k := range shelfSize {
			fmt.Fprintf(&b, `<a href="/%d"></a>`, k)
		}
	}
	p.site.HTML(path, b.String())
}

// words returns a text for page i: in one of three calls new words, otherwise the previous words with a few
// added, removed or taken from another page.
func (p *randomSite) words(i int) []string {
	words := p.texts[i]
	if len(words) == 0 || p.random.IntN(3) == 0 {
		words = nil
		for range 40 + p.random.IntN(200) {
			words = append(words, fmt.Sprintf("common%d", p.random.IntN(3))) // large words
		}
		for range p.random.IntN(12) {
			words = slices.Insert(words, p.random.IntN(len(words)), fmt.Sprintf("rare%d", p.random.IntN(150)))
		}
	} else {
		at := p.random.IntN(len(words))
		until := min(len(words)-1, at+p.random.IntN(3))
		come := make([]string, p.random.IntN(4))
		for k := range come {
			come[k] = fmt.Sprintf("rare%d", p.random.IntN(150))
		}
		words = slices.Concat(words[:at], come, words[until:])
	}
	p.texts[i] = words
	return words
}

// step does something to the index, verifies it, and returns what it did.
func (p *randomSite) step() string {
	p.t.Helper()
	var args []string
	switch p.random.IntN(6) {
	case 0, 1:
		p.index("-a", "--no-merge")
		return "-a"
	case 2, 3:
		var urls []string
		for range 1 + p.random.IntN(5) {
			url := fmt.Sprintf("%s/%d", p.site.URL, 1+p.random.IntN(shelfSize-1))
			urls = append(urls, url)
			args = append(args, "-T", url)
		}
		code, out, errOut := p.try(args...)
		if code != exitDone && code != exitFailed { // what is gone is told
			p.t.Fatalf("%v: exit %d\n%s%s", args, code, out, errOut)
		}
		// A lost document keeps its state, and a version that a crawl has recorded may wait for the merge.
		live := p.contents()
		p.same(slices.DeleteFunc(urls, func(url string) bool {
			return live[url] != nil && !strings.Contains(out, "Adding URL: "+url+"\nStatus: OK (")
		}))
	case 4:
		p.index("--purge-lost=1")
		return "purge"
	default:
		args = []string{"-D"}
		if p.random.IntN(2) == 0 {
			args = append(args, "--batch-documents", fmt.Sprint(1+p.random.IntN(5)))
		}
		p.index(args...)
		p.same(nil)
	}
	p.check()
	return strings.Join(args, " ")
}

// same compares postings with contents, of these URLs or of all.
func (p *randomSite) same(only []string) {
	p.t.Helper()
	want, got := p.contents(), p.postings()
	if only == nil {
		if diff := cmp.Diff(want, got); diff != "" {
			p.t.Errorf("postings (-contents +index):\n%s", diff)
		}
		return
	}
	for _, url := range only {
		if diff := cmp.Diff(want[url], got[url]); diff != "" {
			p.t.Errorf("postings of %s (-content +index):\n%s", url, diff)
		}
	}
}

// wordPlaces has the positions of each word of each URL.
type wordPlaces map[string]map[string][]uint16

// contents reads the stored contents of the documents that searches may find.
func (w *world) contents() wordPlaces { return w.contentsBy(document.Rules{}) }

// contentsBy reads them under the given word rules.
func (w *world) contentsBy(of document.Rules) wordPlaces {
	w.t.Helper()
	rules, err := document.NewRules(of)
	if err != nil {
		w.t.Fatal(err)
	}
	all := wordPlaces{}
	rows, err := w.pool.Query(w.t.Context(), `SELECT w.url, coalesce(s.read_as, c.content_type), c.words, coalesce(s.index_mode, 3)
		FROM urlword w JOIN urlwords c USING (url_id) LEFT JOIN urlstate s USING (url_id)
		WHERE w.deleted = 0 AND status_base(w.status) = 200 AND w.origin = 0`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var url, kind string
		var packed []byte
		var mode int
		if err := rows.Scan(&url, &kind, &packed, &mode); err != nil {
			w.t.Fatal(err)
		}
		body := packed[4:]
		if binary.LittleEndian.Uint32(packed) != 0xffffffff {
			unzip, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				w.t.Fatal(err)
			}
			if body, err = io.ReadAll(unzip); err != nil {
				w.t.Fatal(err)
			}
		}
		doc, err := document.Parse(body, kind, rules.LeavingOutBy(mode&store.ModeMain != 0, mode&store.ModeStart != 0, ""))
		if err != nil {
			w.t.Fatal(err)
		}
		all[url] = map[string][]uint16{}
		for _, word := range doc.Words {
			all[url][word.Text] = word.Positions
		}
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return all
}

// postings merges the postings of wordurl, wordfile and wordurl1, as a search does.
func (w *world) postings() wordPlaces {
	w.t.Helper()
	tx, err := w.pool.BeginTx(w.t.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(w.t.Context())) }()
	urls := map[uint32]string{}
	for _, row := range w.rowsIn(tx, `SELECT url_id, url FROM urlword WHERE deleted = 0 AND status_base(status) = 200 AND origin = 0`) {
		var id uint32
		var url string
		if _, err := fmt.Sscan(row, &id, &url); err != nil {
			w.t.Fatal(err)
		}
		urls[id] = url
	}
	realtime := map[uint32]bool{}
	for _, row := range w.rowsIn(tx, `SELECT url_id FROM rt_urls`) {
		var id uint32
		if _, err := fmt.Sscan(row, &id); err != nil {
			w.t.Fatal(err)
		}
		realtime[id] = true
	}
	all := wordPlaces{}
	for _, url := range urls {
		all[url] = map[string][]uint16{}
	}
	rows, err := tx.Query(w.t.Context(), `
		SELECT word, urls, false FROM wordurl WHERE urls <> ''
		UNION ALL
		SELECT * FROM (SELECT w.word, f.urls, false FROM wordfile f JOIN wordurl w USING (word_id) ORDER BY f.level DESC, f.seq, f.first_site, f.first_url) oldest_first
		UNION ALL
		SELECT word, urls, true FROM wordurl1`)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var word string
		var b []byte
		var rt bool
		if err := rows.Scan(&word, &b, &rt); err != nil {
			w.t.Fatal(err)
		}
		u32 := func(at uint32) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
		for site := uint32(0); site < u32(0)-4; site += 8 {
			for at := u32(site); at < u32(site+8); {
				id, n := u32(at), uint32(binary.LittleEndian.Uint16(b[at+4:]))
				var list []uint16
				for k := range n {
					list = append(list, binary.LittleEndian.Uint16(b[at+6+2*k:]))
				}
				at += 6 + 2*n
				url, found := urls[id]
				switch {
				case !found || realtime[id] && !rt: // not for searches, or out of date
				case n == 0:
					delete(all[url], word)
				default:
					all[url][word] = list
				}
			}
		}
	}
	return all
}
