package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// TestFrontierOrder: groups, classes, and the order inside them.
func TestFrontierOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		lines  []string
		start  crawl.CrawlStart
		change func(*crawl.LeaseRequest)
		want   []string
	}{
		{
			name: "recrawl and start URLs, then new ones, those of this run last, then known ones, then withdrawn ones",
			lines: []string{
				"a withdrawn deleted=1 status=200", "a known status=200", "a found next_index_time=START", "a new",
				"a start next_index_time=0", "a asked next_index_time=-1 status=200",
			},
			want: []string{"asked start", "new found", "known", "withdrawn"},
		}, {
			name:   "the host with the most urgent group first, then in turns",
			lines:  []string{"a known status=200", "a known2 status=200", "b new1", "b new2", "c new3"},
			change: func(r *crawl.LeaseRequest) { r.Batch = 1 },
			want:   []string{"new1", "new3", "new2", "known", "known2"},
		}, {
			name:  "the oldest of a group first, when nothing else decides",
			lines: []string{"a third next_index_time=30", "a first next_index_time=10", "a second next_index_time=20", "a fourth next_index_time=40"},
			want:  []string{"first second third", "fourth"},
		}, {
			name: "pages that change often and were not seen for 23 hours, then by how much of the interval is over, errors last",
			lines: []string{
				"a late status=200 last_index_time=START-3000 next_index_time=START-2000",
				"a just status=200 last_index_time=START-3000 next_index_time=START-1",
				"a failing status=200 last_index_time=START-3000 next_index_time=START-1 .error_count=1 .error_class='server'",
				"a often status=200 next_index_time=START-1 last_index_time=START-90000 .pace=1 .last_attempt=now()-interval'25h'",
				"a lately status=200 next_index_time=START-1 last_index_time=START-80000 .pace=1 .last_attempt=now()-interval'22h'",
			},
			change: func(r *crawl.LeaseRequest) { r.Batch = 5 },
			want:   []string{"often late just lately failing"},
		}, {
			name:   "shallow ones first",
			lines:  []string{"a deep hops=3 next_index_time=10", "a flat hops=1 next_index_time=20", "a middle hops=2 next_index_time=15"},
			change: func(r *crawl.LeaseRequest) { r.HopsFirst = true },
			want:   []string{"flat middle deep"},
		}, {
			name:  "nothing that is not due",
			lines: []string{"a later status=200 next_index_time=START+5", "a now status=200"},
			want:  []string{"now"},
		}, {
			name:  "-a: all but purged orphans",
			lines: []string{"a later status=200 next_index_time=START+5", "a never status=200 deleted=1 next_index_time=4611686018427387904"},
			start: crawl.CrawlStart{All: true},
			want:  []string{"later"},
		}, {
			name:   "--respider: what is asked for and what links reach, due or not; what an earlier one left must be reached again",
			lines:  []string{"a due", "a start next_index_time=0", "a left next_index_time=-2"},
			start:  crawl.CrawlStart{Respider: true},
			change: func(r *crawl.LeaseRequest) { r.Due = 0 },
			want:   []string{"start"},
		}, {
			name:   "limits: groups without anything within them are passed over",
			lines:  []string{"a new", "a known status=200", "b known404 status=404", "b start next_index_time=0"},
			change: func(r *crawl.LeaseRequest) { r.Limits.Statuses = []int32{404} },
			want:   []string{"known404"},
		}, {
			name:   "a closed host is left alone",
			lines:  []string{"a new", "b other"},
			change: func(r *crawl.LeaseRequest) { r.Hosts.Except = []string{"a"} },
			want:   []string{"other"},
		}, {
			name:   "only open hosts",
			lines:  []string{"a new", "b other"},
			change: func(r *crawl.LeaseRequest) { r.Hosts.Only = []string{"a"} },
			want:   []string{"new"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFrontier(t, c.lines...)
			f.begin(c.start)
			got, over := f.all(c.change)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("batches (-want +got):\n%s", d)
			}
			want := crawl.OverComplete
			if strings.Contains(c.name, "host") && strings.Contains(c.name, "open") || strings.Contains(c.name, "closed") {
				want = crawl.OverTime
			}
			if over != want {
				t.Errorf("the run is over as %q, want %q", over, want)
			}
		})
	}
}

// TestSlowHostsTurn: among hosts of a group a slow one goes after fast ones. It is not starved, and a more urgent group still goes first.
func TestSlowHostsTurn(t *testing.T) {
	f := newFrontier(t, "a slow1", "a slow2", "a slow3", "a known status=200", "b fast1", "b fast2", "b fast3", "c other status=200")
	f.begin(crawl.CrawlStart{})
	f.answers = map[string]time.Duration{"a": 20 * time.Second, "b": time.Millisecond}
	one := func(r *crawl.LeaseRequest) { r.Batch = 1 }
	got, over := f.all(one)
	want := []string{"slow1", "fast1", "fast2", "fast3", "slow2", "slow3", "other", "known"}
	if d := cmp.Diff(want, got); d != "" || over != crawl.OverComplete {
		t.Errorf("over %q, batches (-want +got):\n%s", over, d)
	}
	f = newFrontier(t, "a slow1", "a slow2", "b fast1", "b fast2")
	f.begin(crawl.CrawlStart{})
	f.answers = map[string]time.Duration{"a": 24 * time.Hour, "b": time.Millisecond}
	l, _ := f.ask(one)
	f.record(l)
	if got := f.one(`SELECT turn_at > now() + interval '9 minutes' AND turn_at <= now() + interval '10 minutes' FROM sitestate WHERE host = 'a'`); got != "true" {
		t.Errorf("the turn begins 10 minutes later at most: %s", got)
	}
	f.exec(`UPDATE sitestate SET turn_at = turn_at - interval '11 minutes' WHERE host = 'a'`)
	got, _ = f.all(one)
	if d := cmp.Diff([]string{"fast1", "slow2", "fast2"}, got); d != "" {
		t.Errorf("batches after ten minutes (-want +got):\n%s", d)
	}
}

// TestRankComesFirst: of otherwise equal URLs the one with more links to it goes first, and a new URL has the
// importance of its referrer.
func TestRankComesFirst(t *testing.T) {
	f := newFrontier(t, "a plain status=200 last_index_time=900", "a linked status=200 last_index_time=900", "b orphan", "b child")
	ids := map[string]store.URLID{}
	for id, name := range f.names {
		ids[name] = id
	}
	f.exec(`INSERT INTO citation VALUES ($1, '{7,8,9}')`, ids["linked"])
	f.exec(`UPDATE urlword SET referrer = $2 WHERE url_id = $1`, ids["child"], ids["linked"])
	f.begin(crawl.CrawlStart{})
	got, _ := f.all(nil)
	if d := cmp.Diff([]string{"child orphan", "linked plain"}, got); d != "" {
		t.Errorf("batches (-want +got):\n%s", d)
	}
}

// TestLimitToTmpurl is -M: the URLs of the table, due or not.
func TestLimitToTmpurl(t *testing.T) {
	f := newFrontier(t, "a due", "a wanted status=200 next_index_time=START+900", "a later status=200 next_index_time=START+900")
	f.exec(`INSERT INTO tmpurl SELECT url_id, 0 FROM urlword WHERE url LIKE '%wanted'`)
	limits := crawl.Limits{Tmpurl: true}
	f.begin(crawl.CrawlStart{All: true, Limits: limits})
	got, over := f.all(func(r *crawl.LeaseRequest) { r.Limits = limits })
	if d := cmp.Diff([]string{"wanted"}, got); d != "" || over != crawl.OverComplete {
		t.Errorf("over %q, batches (-want +got):\n%s", over, d)
	}
}

// TestRecrawl: URLs that an operator asks for are due before all others, also in a run that has found no more
// work.
func TestRecrawl(t *testing.T) {
	f := newFrontier(t, "a later status=200 next_index_time=START+900", "b other status=200 next_index_time=START+900",
		"a gone deleted=1 status=200 next_index_time=4611686018427387904")
	f.begin(crawl.CrawlStart{})
	if l, idle := f.ask(nil); l != nil || idle.Over != crawl.OverComplete {
		t.Fatalf("lease %v, %+v; want the run to be over", l, idle)
	}
	n, err := f.s.Recrawl(t.Context(), "http://a/%")
	if err != nil || n != 1 {
		t.Fatalf("%d URLs, %v; want 1", n, err)
	}
	l, _ := f.ask(nil)
	if got := f.paths(l); got != "later" {
		t.Errorf("leased %s, want later", got)
	}
}
