package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

func TestLeasesAreJudged(t *testing.T) {
	for _, c := range []struct {
		name    string
		all     []held
		hosts   int
		twice   int
		starved float64
	}{
		{"nothing", nil, 2, 0, 1},
		{"in turns", []held{{"a", 1, 2}, {"b", 1, 2}, {"a", 2, 3}, {"b", 5, 6}}, 2, 0, 0},
		{"twice at once", []held{{"a", 1, 5}, {"b", 1, 2}, {"a", 2, 3}, {"b", 2, 3}, {"a", 4, 6}}, 2, 2, 0},
		{"starved", []held{{"a", 1, 2}, {"a", 2, 3}, {"a", 3, 4}, {"a", 4, 5}, {"b", 1, 2}, {"c", 1, 2}, {"c", 2, 3}}, 4, 0, 0.25},
	} {
		var r leasesResult
		r.judge(c.all, c.hosts)
		if r.leases != len(c.all) || r.twice != c.twice || r.starved != c.starved {
			t.Errorf("%s: %d leases, %d twice, %v starved; want %d, %d, %v", c.name, r.leases, r.twice, r.starved, len(c.all), c.twice, c.starved)
		}
		if len(c.all) > 0 && r.elapsed < 2*time.Nanosecond {
			t.Errorf("%s: elapsed %v", c.name, r.elapsed)
		}
	}
}

// TestPagesOfHostsAreReached: links lead from the first page of each host to all of its pages, and the pages differ.
func TestPagesOfHostsAreReached(t *testing.T) {
	starts := []string{"http://127.0.1.1:1/", "http://127.0.1.2:2/"}
	seen := map[string]bool{}
	for _, pages := range hostPages(starts, 101) {
		reached := map[string]bool{"/": true}
		todo := []int{0}
		for len(todo) > 0 {
			page := pages[todo[0]]
			todo = todo[1:]
			seen[string(page)] = true
			for z := html.NewTokenizer(bytes.NewReader(page)); z.Next() != html.ErrorToken; {
				token := z.Token()
				if token.Data != "a" || len(token.Attr) == 0 || !strings.HasPrefix(token.Attr[0].Val, "/") || reached[token.Attr[0].Val] {
					continue
				}
				for n := range pages {
					if hostPath(n) == token.Attr[0].Val {
						reached[hostPath(n)], todo = true, append(todo, n)
					}
				}
			}
		}
		if len(reached) != len(pages) {
			t.Errorf("%d of %d pages are reached", len(reached), len(pages))
		}
	}
	if len(seen) != 101 {
		t.Errorf("%d different pages, want 101", len(seen))
	}
}
