package spider

import (
	"context"
	"log/slog"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store/crawl"
)

// hear learns from an answer, and stores a pause that the host asks for. A robots.txt counts only for a host that is known to
// limit requests: what its answers mean is in robotscache.go.
func (c *crawler) hear(ctx context.Context, host string, delay time.Duration, r fetch.Request, a *fetch.Answer, began time.Time) refusal {
	before := c.polite.limited(host)
	if r.Robots && !before {
		return notRefused
	}
	said, pause := c.polite.hear(host, r.URL, delay, a, began)
	if said != refused {
		return said
	}
	pace, _ := c.polite.store(host)
	level := slog.LevelInfo
	if before && pause <= longestPause {
		level = slog.LevelDebug
	}
	slog.Log(ctx, level, "host limits requests", "host", host, "status", a.Status, "url", printable.Log(r.URL),
		"pause", pause.Round(time.Millisecond), "delay", pace.Delay.Round(time.Millisecond))
	err := c.store.HostRefused(ctx, crawl.Refusal{Host: host, Pace: pace, Pause: pause, Status: a.Status, URL: printable.Log(r.URL)})
	if err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "cannot store the host's pause", "host", host, "cause", err)
	}
	return refused
}

// givenBack ends the work on a host of which the next request may be long away. When the last answer leaves in doubt whether
// the host is busy, it is not asked at once again.
func (c *crawler) givenBack(ctx context.Context, host string) error {
	if c.polite.undecided(host) {
		c.polite.pause(host, shortPause)
	}
	if pace, changed := c.polite.store(host); changed {
		return c.store.SavePace(ctx, host, pace)
	}
	return nil
}
