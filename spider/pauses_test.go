package spider

import (
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/robots"
	"github.com/pgseek/pgseek/spider/weburl"
)

// TestPauseOfAHost: the longest of MinDelay, Crawl-delay and the default counts, and the default only where no MinDelay line holds.
func TestPauseOfAHost(t *testing.T) {
	for _, c := range []struct {
		name   string
		public bool
		robots string
		server *Server
		want   time.Duration
		cause  PauseCause
	}{
		{"a public host", true, "", &Server{}, defaultPause, PauseDefault},
		{"of no Server", true, "", nil, defaultPause, PauseDefault},
		{"one's own", false, "", &Server{}, 0, NoPause},
		{"MinDelay 0", true, "", &Server{SaysMinDelay: true}, 0, NoPause},
		{"MinDelay below the default", true, "", &Server{SaysMinDelay: true, MinDelay: 100 * time.Millisecond}, 100 * time.Millisecond, PauseMinDelay},
		{"Crawl-delay above the default", true, "Crawl-delay: 1.5", &Server{}, 1500 * time.Millisecond, PauseCrawlDelay},
		{"Crawl-delay below the default", true, "Crawl-delay: 0.1", &Server{}, defaultPause, PauseDefault},
		{"Crawl-delay of one's own host", false, "Crawl-delay: 2", &Server{}, 2 * time.Second, PauseCrawlDelay},
		{"MinDelay 0 does not lower it", false, "Crawl-delay: 2", &Server{SaysMinDelay: true}, 2 * time.Second, PauseCrawlDelay},
		{"MinDelay raises it", false, "Crawl-delay: 2", &Server{SaysMinDelay: true, MinDelay: 3 * time.Second}, 3 * time.Second, PauseMinDelay},
		{"above the limit", false, "Crawl-delay: 86400", &Server{}, MaxCrawlDelay, PauseCrawlDelay},
		{"MinDelay above the limit", false, "Crawl-delay: 31", &Server{SaysMinDelay: true, MinDelay: time.Hour}, time.Hour, PauseMinDelay},
		{"Robots no", false, "Crawl-delay: 2", &Server{IgnoreRobots: true}, 0, NoPause},
	} {
		u := weburl.URL{Host: "a.example", HostInfo: "http://a.example"}
		rules := robots.Parse([]byte("User-agent: *\n"+c.robots+"\n"), "pgseek")
		known := &robotsCache{policies: map[string]*policy{u.HostInfo: {rules: rules}}}
		spider := &crawler{robots: known, o: Options{Local: func(string) (bool, bool) { return !c.public, true }}}
		if got, cause := spider.pause(u, c.server); got != c.want || cause != c.cause {
			t.Errorf("%s: %v (%q), want %v (%q)", c.name, got, cause, c.want, c.cause)
		}
	}
}

// TestUnknownAddress: of a name that was not connected to a crawl waits for the answer, and index -T for the pause.
func TestUnknownAddress(t *testing.T) {
	u := weburl.URL{Host: "a.example", HostInfo: "http://a.example"}
	unknown := func(string) (bool, bool) { return false, false }
	for _, c := range []struct {
		realtime *realtime
		want     time.Duration
	}{{nil, 0}, {&realtime{}, defaultPause}} {
		spider := &crawler{robots: &robotsCache{}, o: Options{Local: unknown}, realtime: c.realtime}
		if got, _ := spider.pause(u, &Server{}); got != c.want {
			t.Errorf("index -T %v: %v, want %v", c.realtime != nil, got, c.want)
		}
	}
}

// TestPauseThatBounds: a pause is told when it took at least half of the time of a crawl, and more than a moment.
func TestPauseThatBounds(t *testing.T) {
	for _, c := range []struct {
		requests int
		elapsed  time.Duration
		want     string
	}{
		{2, 2 * time.Second, ""},
		{10, 30 * time.Second, ""},
		{10, 20 * time.Second, "slow.example"},
		{10, 9 * time.Second, "slow.example"},
	} {
		var p pauses
		for range c.requests {
			p.add("slow.example", time.Second, PauseCrawlDelay, &Server{Where: "sets.cnf:1"})
			p.add("quick.example", defaultPause, PauseDefault, nil)
			p.add("own.example", 0, NoPause, nil)
		}
		got := ""
		if b := p.bound(c.elapsed); b != nil {
			got = b.Host
			if b.Requests != int64(c.requests) || b.Length != time.Second || b.Where != "sets.cnf:1" {
				t.Errorf("%+v", b)
			}
		}
		if got != c.want {
			t.Errorf("%d requests in %v: %q, want %q", c.requests, c.elapsed, got, c.want)
		}
	}
}
