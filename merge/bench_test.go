package merge

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
	"github.com/pgseek/pgseek/store/storetest"
)

// vocabulary returns words whose frequencies are distributed like those of a language.
type vocabulary struct {
	words []string
	zipf  *rand.Zipf
	r     *rand.Rand
}

func newVocabulary(seed uint64, n int) *vocabulary {
	v := &vocabulary{r: rand.New(rand.NewPCG(seed, 1))}
	v.zipf = rand.NewZipf(v.r, 1.2, 6, uint64(n-1))
	for i := range n {
		v.words = append(v.words, strconv.FormatUint(uint64(i)*2654435761%(1<<32), 36))
	}
	return v
}

// page returns a version of about 450 different words, 1100 in all.
func (v *vocabulary) page() []byte {
	places := map[string][]uint16{}
	for k := range 1100 {
		w := v.words[v.zipf.Uint64()]
		places[w] = append(places[w], uint16(k))
	}
	var list []posting.Word
	for text, positions := range places {
		list = append(list, posting.Word{Text: text, Positions: positions})
	}
	slices.SortFunc(list, func(a, b posting.Word) int { return strings.Compare(a.Text, b.Text) })
	return posting.AppendWords(nil, list)
}

// fill writes versions of documents into the journal, with links of new ones.
func (v *vocabulary) fill(w *world, urls []int32, fresh bool) (bytes int) {
	for len(urls) > 0 {
		n := min(200, len(urls))
		var words [][]byte
		for range n {
			words = append(words, v.page())
			bytes += len(words[len(words)-1])
		}
		if fresh {
			for part := range 16 {
				w.exec(fmt.Sprintf(`INSERT INTO urlwords%02d (url_id, hrefs)
					SELECT u, ARRAY(SELECT DISTINCT 1 + 3 * (u * 7 + k * k * 31) %% 5000 FROM generate_series(1, 65) k ORDER BY 1)
					FROM unnest($1::integer[]) u WHERE u %% 16 = %d ON CONFLICT DO NOTHING`, part, part), urls[:n])
			}
		}
		w.exec(`INSERT INTO journal (run_id, url_id, site_id, status, words, links_added)
			SELECT 1, u, 1 + u % 5, 200, words, CASE WHEN $3 THEN (SELECT hrefs FROM urlwords c WHERE c.url_id = u) ELSE '{}' END
			FROM unnest($1::integer[], $2::bytea[]) AS i (u, words)`, urls[:n], words, fresh)
		urls = urls[n:]
	}
	return bytes
}

// forget resets the peak of memory, where the system allows it.
func forget() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// memory returns the peak memory of the process, in MB (VmHWM).
func memory() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			kb, _ := strconv.Atoi(f[1])
			return float64(kb) / 1024
		}
	}
	return 0
}

// BenchmarkMerge builds an index of 5,000 documents and then changes a twentieth of them. Compare the figures of one run:
// the builds in one batch and in five, and the rounds.
func BenchmarkMerge(b *testing.B) {
	const documents = 5000
	for _, batches := range []int{1, 5} {
		b.Run(fmt.Sprintf("build/batches=%d", batches), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				w := newWorld(b, storetest.New(b), 1, documents)
				v := newVocabulary(1, 150000)
				bytes := v.fill(w, w.urls, true)
				forget()
				b.StartTimer()
				sum := benchMerge(b, w, Options{BatchDocuments: documents / batches})
				b.ReportMetric(float64(sum.Words), "words")
				b.ReportMetric(float64(bytes)/(1<<20), "journal-MB")
				b.ReportMetric(memory(), "peak-MB")
			}
		})
	}
	b.Run("round/changed=5%", func(b *testing.B) {
		w := newWorld(b, storetest.New(b), 1, documents)
		v := newVocabulary(1, 150000)
		v.fill(w, w.urls, true)
		benchMerge(b, w, Options{})
		var seconds float64
		b.ResetTimer()
		for range b.N {
			b.StopTimer()
			w.r.Shuffle(len(w.urls), func(i, j int) { w.urls[i], w.urls[j] = w.urls[j], w.urls[i] })
			v.fill(w, w.urls[:documents/20], false)
			b.StartTimer()
			begin := time.Now()
			benchMerge(b, w, Options{})
			seconds += time.Since(begin).Seconds()
		}
		b.StopTimer()
		row := w.rows(`SELECT (count(*)::float8 / count(DISTINCT word_id))::float8, (pg_table_size('wordfile') / 1048576.0)::float8,
			(sum(octet_length(urls)) / 1048576.0)::float8 FROM wordfile`)[0]
		b.ReportMetric(row[0].(float64), "rows/word")
		b.ReportMetric(row[1].(float64), "table-MB")
		b.ReportMetric(row[2].(float64), "live-MB")
	})
}

func benchMerge(b *testing.B, w *world, o Options) Summary {
	b.Helper()
	s, err := store.Open(b.Context(), store.Options{DSN: w.dsn, Application: "index -D"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	sum, err := Run(b.Context(), index.New(s), o)
	if err != nil {
		b.Fatal(err)
	}
	return sum
}
