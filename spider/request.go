package spider

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
)

// fetch sends a request for the visit's own URL.
func (v *visit) fetch(ctx context.Context, r fetch.Request) (*fetch.Answer, refusal) {
	v.requests++
	r.Large = func() error { return v.large.take(ctx, v.c.largeBodies) }
	if in, ok := v.c.o.archiveOf(v.page.Text); ok {
		return v.fetchMember(ctx, in, r)
	}
	a, refused := v.c.fetch(ctx, v.page, v.server, r)
	v.answers += a.Elapsed
	return a, refused
}

// fetch sends a request for a URL that a Server rules after the host's pause, and says whether the host refused it. A request that
// may have met a connection which the server was just closing is sent once more, on a new connection and after the pause, unless
// it was to have a new one at once.
func (c *crawler) fetch(ctx context.Context, u weburl.URL, server *Server, r fetch.Request) (*fetch.Answer, refusal) {
	c.network.ask()
	a, refused := c.fetchOnce(ctx, u, server, r)
	defer func() { c.network.answered(u.HostInfo, a) }()
	if a.Unheard && !r.Fresh && ctx.Err() == nil {
		slog.DebugContext(ctx, "repeating the request on a new connection", "url", printable.Log(r.URL), "cause", a.Cause)
		r.Fresh = true
		a, refused = c.fetchOnce(ctx, u, server, r)
	}
	return a, refused
}

func (c *crawler) fetchOnce(ctx context.Context, u weburl.URL, server *Server, r fetch.Request) (*fetch.Answer, refusal) {
	host := u.Host
	delay, _ := c.pause(u, server)
	patience := longestStay
	switch {
	case c.realtime != nil:
		patience = crawl.LongestWait
	case r.Robots:
		patience = longestPause
	}
	err := c.polite.enter(ctx, host, delay, patience)
	if err == nil && c.realtime != nil {
		if err = c.realtime.turn(ctx, host, delay); err != nil {
			c.polite.release(host, 0, 0)
		}
	}
	switch {
	case errors.Is(err, errHostPaused):
		return &fetch.Answer{Status: fetch.StatusReadTimeout, Cause: err.Error()}, notAsked
	case err != nil:
		return &fetch.Answer{Status: fetch.StatusReadTimeout, Cause: err.Error()}, notRefused
	}
	began := time.Now()
	a := c.o.Fetcher.Fetch(ctx, r)
	delay, cause := c.pause(u, server) // the address is known now
	c.pauses.add(host, delay, cause, server)
	refused := c.hear(ctx, host, delay, r, a, began)
	c.polite.release(host, a.Elapsed, delay)
	return a, refused
}
