package spider

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgseek/pgseek/store/crawl"
	"golang.org/x/sync/semaphore"
)

// finds returns findings by their texts: "w" letters that they write, then after a slash those that they read.
func finds(texts ...string) (list []*finding) {
	for i, text := range texts {
		writes, reads, _ := strings.Cut(text, "/")
		f := &finding{v: &visit{c: &crawler{}}, o: &outcome{}, doc: crawl.Recording{ID: 1}, bytes: 1}
		f.doc.Held.Place = i
		f.writes, f.reads = strings.Split(writes, ""), strings.Split(reads, "")
		list = append(list, f)
	}
	return list
}

func places(list []*finding) (p []int) {
	for _, f := range list {
		p = append(p, f.doc.Held.Place)
	}
	return p
}

// TestIndependent: what depends on an earlier finding waits, and so does what depends on that.
func TestIndependent(t *testing.T) {
	for _, c := range []struct {
		texts       []string
		group, rest []int
	}{
		{[]string{"a", "b", "c"}, []int{0, 1, 2}, nil},
		{[]string{"a", "a", "b"}, []int{0, 2}, []int{1}},
		{[]string{"a/t", "b/t", "t"}, []int{0, 1}, []int{2}}, // two redirects and their target
		{[]string{"t", "a/t", "b/t"}, []int{0}, []int{1, 2}},
		{[]string{"a", "ab", "b", "c"}, []int{0, 3}, []int{1, 2}}, // the third waits for the second
		{[]string{"a", "a/t", "t"}, []int{0}, []int{1, 2}},
	} {
		group, rest := independent(finds(c.texts...))
		if !slices.Equal(places(group), c.group) || !slices.Equal(places(rest), c.rest) {
			t.Errorf("%v: %v, then %v; want %v, then %v", c.texts, places(group), places(rest), c.group, c.rest)
		}
	}
}

// TestRecorderKeepsOrder: whatever comes at whatever time, each finding is recorded once, dependent ones in the order in which they
// came, and no transaction exceeds its bounds or has two that depend on each other.
func TestRecorderKeepsOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var texts []string
		for range 1 + random.IntN(300) {
			text := string(rune('a' + random.IntN(40)))
			if random.IntN(3) == 0 {
				text += "/" + string(rune('a'+random.IntN(40)))
			}
			texts = append(texts, text)
		}
		list := finds(texts...)
		for _, f := range list {
			f.bytes = int64(random.IntN(maxRecordedBytes / 8))
		}
		var recorded []*finding
		r := newRecorder(0, semaphore.NewWeighted(maxWaitingBytes), func(_ context.Context, group []*finding) error {
			var size int64
			for _, f := range group[:len(group)-1] {
				size += f.bytes
			}
			if _, rest := independent(group); len(group) > maxRecorded || size >= maxRecordedBytes || len(rest) > 0 {
				t.Fatalf("a transaction of %d findings and %d bytes, %d of them dependent", len(group), size, len(rest))
			}
			recorded = append(recorded, group...)
			return nil
		})
		var done sync.WaitGroup
		done.Go(func() { r.run(t.Context()) })
		for _, f := range list {
			f.done = func(*finding) {}
			if err := r.take(t.Context(), f); err != nil {
				t.Fatal(err)
			}
		}
		close(r.found)
		done.Wait()
		if len(recorded) != len(list) {
			t.Fatalf("%d of %d findings were recorded", len(recorded), len(list))
		}
		at := make(map[int]int)
		for i, p := range places(recorded) {
			at[p] = i
		}
		for i := range list {
			for k := range i {
				if _, rest := independent([]*finding{list[k], list[i]}); len(rest) > 0 && at[k] > at[i] {
					t.Fatalf("%q came before %q and was recorded after it", texts[k], texts[i])
				}
			}
		}
	}
}

// TestRecorderSetsBadValuesAside: when the database refuses a value, only the finding that has it gets the error.
func TestRecorderSetsBadValuesAside(t *testing.T) {
	bad := &pgconn.PgError{Code: "22021", Message: "invalid byte sequence"}
	for _, wrong := range [][]int{{}, {0}, {41}, {3, 4, 60}} {
		var texts []string
		for i := range 61 {
			texts = append(texts, string(rune('A'+i)))
		}
		list, calls := finds(texts...), 0
		r := newRecorder(0, semaphore.NewWeighted(maxWaitingBytes), func(_ context.Context, group []*finding) error {
			calls++
			for _, p := range places(group) {
				if slices.Contains(wrong, p) {
					return fmt.Errorf("record documents: %w", bad)
				}
			}
			return nil
		})
		for _, f := range list {
			f.done = func(*finding) {}
			if err := r.waiting.Acquire(t.Context(), f.bytes); err != nil {
				t.Fatal(err)
			}
		}
		r.record(t.Context(), list)
		got := []int{}
		for i, f := range list {
			if f.err != nil {
				if got = append(got, i); !errors.Is(f.err, bad) {
					t.Errorf("%d: %v", i, f.err)
				}
			}
		}
		if diff := cmp.Diff(append([]int{}, wrong...), got); diff != "" || calls > 1+12*len(wrong) {
			t.Errorf("findings with an error after %d calls (-want +got):\n%s", calls, diff)
		}
	}
}

// TestRecorderBoundsMemory: a fetcher waits when too many bytes wait for a recorder.
func TestRecorderBoundsMemory(t *testing.T) {
	r := newRecorder(0, semaphore.NewWeighted(maxWaitingBytes), nil)
	list := finds("a", "b")
	list[0].bytes, list[1].bytes = maxWaitingBytes+1, 1 // a larger one passes alone
	if err := r.take(t.Context(), list[0]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.take(ctx, list[1]); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it waits", err)
	}
	r.waiting.Release((<-r.found).bytes)
	if err := r.take(t.Context(), list[1]); err != nil {
		t.Error(err)
	}
}
