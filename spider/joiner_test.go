package spider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

// TestJoiner: a lone item makes a call of its own at once; what comes while a call is under way shares the next ones, up to the bound;
// each item gets its own result, and the error of its call.
func TestJoiner(t *testing.T) {
	begun, release := make(chan []int), make(chan error)
	j := newJoiner(t.Context(), 3, func(_ context.Context, items []int) ([]string, error) {
		begun <- items
		err := <-release
		var results []string
		for _, i := range items {
			results = append(results, fmt.Sprint("result ", i))
		}
		return results, err
	})
	var waiting sync.WaitGroup
	errs := make([]error, 6)
	ask := func(i int) {
		waiting.Go(func() {
			got, err := j.do(t.Context(), i)
			if errs[i] = err; err == nil && got != fmt.Sprint("result ", i) {
				t.Errorf("item %d: %q", i, got)
			}
		})
	}
	queued := func(n int) {
		for {
			j.mu.Lock()
			got := len(j.waiting)
			j.mu.Unlock()
			if got == n {
				return
			}
		}
	}
	ask(0)
	if got := <-begun; !slices.Equal(got, []int{0}) {
		t.Fatalf("first call of %v", got)
	}
	for i := 1; i < 6; i++ {
		ask(i)
		queued(i)
	}
	release <- nil
	second := <-begun
	release <- errors.New("the second call fails")
	third := <-begun
	release <- nil
	waiting.Wait()
	if !slices.Equal(second, []int{1, 2, 3}) || !slices.Equal(third, []int{4, 5}) {
		t.Errorf("then calls of %v and %v", second, third)
	}
	for i, err := range errs {
		if want := i >= 1 && i <= 3; (err != nil) != want {
			t.Errorf("item %d: error %v", i, err)
		}
	}
	ask(0)
	<-begun
	release <- nil
	waiting.Wait()
}
