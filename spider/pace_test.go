package spider

import (
	"net/http"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
)

// heard is an answer of a host, for politeness.hear.
type heard struct {
	status int
	url    string
	header http.Header
	after  time.Duration // Retry-After
}

// TestRefusals verifies what counts as a refusal, and the pause and the delay that follow.
func TestRefusals(t *testing.T) {
	asks := func(after time.Duration) heard {
		return heard{status: 503, url: "/a", header: http.Header{"Retry-After": {"2"}}, after: after}
	}
	for _, c := range []struct {
		name    string
		answers []heard
		want    refusal
		pause   time.Duration
		delay   time.Duration
	}{
		{"429", []heard{{status: 429, url: "/a"}}, refused, time.Second, firstDelay},
		{"503 that asks for a pause", []heard{asks(2 * time.Second)}, refused, 2 * time.Second, firstDelay},
		{"one 503", []heard{{status: 503, url: "/a"}}, inDoubt, 0, 0},
		{"503 of one URL twice", []heard{{status: 503, url: "/a"}, {status: 503, url: "/a"}}, inDoubt, 0, 0},
		{"503 of two URLs", []heard{{status: 503, url: "/a"}, {status: 503, url: "/b"}}, refused, time.Second, firstDelay},
		{"503 of two URLs, and one well between", []heard{{status: 503, url: "/a"}, {status: 404, url: "/c"}, {status: 503, url: "/b"}}, inDoubt, 0, 0},
		{"503 of a host that limits", []heard{{status: 429, url: "/a"}, {status: 200, url: "/c"}, {status: 503, url: "/b"}}, refused, time.Second, 196 * time.Millisecond},
		{"500 twice", []heard{{status: 500, url: "/a"}, {status: 500, url: "/b"}}, notRefused, 0, 0},
		{"three URLs in a row", []heard{{status: 429, url: "/a"}, {status: 429, url: "/b"}, {status: 429, url: "/c"}}, refused, 4 * time.Second, 4 * firstDelay},
		{"five URLs in a row", []heard{
			{status: 429, url: "/a"}, {status: 429, url: "/b"}, {status: 429, url: "/c"}, {status: 429, url: "/d"}, {status: 429, url: "/e"},
		}, refused, awayPause, 16 * firstDelay},
		{"one URL three times", []heard{{status: 429, url: "/a"}, {status: 429, url: "/a"}, {status: 429, url: "/a"}}, refused, 4 * time.Second, firstDelay},
		{"it alone, while others answer", []heard{{status: 429, url: "/a"}, {status: 200, url: "/b"}, {status: 429, url: "/a"}}, refused, time.Second, 98 * time.Millisecond},
		{"a pause without end", []heard{asks(fetchDay), asks(fetchDay), asks(fetchDay)}, refused, longestLimit, 0},
		{"a quota of an hour, three URLs", []heard{
			{status: 429, url: "/a", after: time.Hour},
			{status: 200, url: "/b"},
			{status: 429, url: "/c", after: time.Hour},
			{status: 200, url: "/d"},
			{status: 429, url: "/e", after: time.Hour},
		}, refused, time.Hour, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPoliteness(func(string, time.Time) float64 { return 1 })
			var got refusal
			var pause time.Duration
			for _, h := range c.answers {
				got, pause = p.hear("h", h.url, 0, &fetch.Answer{Status: h.status, Header: h.header, RetryAfter: h.after}, time.Now())
				p.gate("h").slowed = time.Time{} // as if the next request were sent later
			}
			if got != c.want || pause > c.pause || pause < c.pause-100*time.Millisecond {
				t.Errorf("got %d, pause %v; want %d, %v", got, pause, c.want, c.pause)
			}
			if delay := p.gate("h").Delay; delay != c.delay {
				t.Errorf("delay %v, want %v", delay, c.delay)
			}
		})
	}
}

// fetchDay is the longest Retry-After that fetch lets pass.
const fetchDay = 24 * time.Hour

// TestPaceOfALimit plays a host that allows a request every half second, on a clock of its own: at most one request in twenty
// is refused after the first minute, and the delay settles near the limit.
func TestPaceOfALimit(t *testing.T) {
	const limit = 500 * time.Millisecond
	var g gate
	var now, last time.Duration = 0, -time.Hour
	var requests, refusals, late, lateRefusals int
	for requests < 600 {
		requests++
		if now > time.Minute {
			late++
		}
		if now-last < limit {
			refusals++
			if now > time.Minute {
				lateRefusals++
			}
			g.slowed = time.Time{}
			now += g.refuse("/"+time.Duration(requests).String(), 2*time.Second, time.Now())
			continue
		}
		last = now
		g.slowed = time.Time{}
		g.good(time.Now())
		now += g.Delay + 2*time.Millisecond
	}
	if 20*lateRefusals > late || now > 600*2*limit {
		t.Errorf("%d of %d requests refused, %d of %d after the first minute; %v for all", refusals, requests, lateRefusals, late, now)
	}
	if g.Delay < limit*9/10 || g.Delay > 2*limit {
		t.Errorf("delay %v in the end", g.Delay)
	}
}
