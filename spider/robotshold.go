package spider

import (
	"bytes"
	"context"
	"log/slog"
	"math"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
)

// A robots.txt that forbids most of a site is often a mistake: that of a copy for tests was deployed. It is obeyed
// at once, so nothing forbidden is fetched. But the documents are found as before, without cached copies, until it
// was fetched on LostLimit different days or the operator releases the site. Then T-12 takes them out.

// holdsBan reports whether the rules of a host are such a ban that takes nothing out yet, and records that. file is
// what was stored before the rules were fetched, nil for nothing. over says why a ban has to be carried out now, empty
// when there is none.
func (c *crawler) holdsBan(ctx context.Context, u weburl.URL, p *policy, file *crawl.RobotsFile) (held bool, over string, err error) {
	if file == nil {
		file = &crawl.RobotsFile{}
	}
	site, err := c.store.RegisterSite(ctx, u.Site, u.Host)
	if err != nil {
		return false, "", err
	}
	hash := p.rules.Hash()
	ban := crawl.RobotsBan{HostInfo: u.HostInfo, Hash: hash[:], Site: site, Run: c.run, FirstSight: file.Ban == nil}
	if known := bytes.Equal(file.Ban, hash[:]); !known || p.status != 200 {
		if err := c.countBanned(ctx, &ban, p); err != nil {
			return false, "", err
		}
		if p.status != 200 || !mostOfSite(ban.Banned, ban.Live, c.o.MaxLostShare) {
			if file.Ban != nil {
				err = c.store.EndRobotsHold(ctx, u.HostInfo, site, "recovered")
			}
			return false, "", err
		}
	}
	if file.BanReleased {
		return false, "released", nil
	}
	days, err := c.store.HoldRobots(ctx, ban)
	if err != nil {
		return false, "", err
	}
	if days >= c.o.LostLimit {
		return false, "expired", nil
	}
	slog.WarnContext(ctx, "robots.txt forbids more than MaxLostShare of the documents of a site; they are kept for now, without cached copies",
		"site", u.Site, "days", days, "until_day", c.o.LostLimit, "remedy", "index --release "+u.Site+" takes them out at the next crawl")
	return true, "", nil
}

// endBan ends the hold of a site whose ban was carried out.
func (c *crawler) endBan(ctx context.Context, u weburl.URL, by string) error {
	site, err := c.store.RegisterSite(ctx, u.Site, u.Host)
	if err != nil {
		return err
	}
	return c.store.EndRobotsHold(ctx, u.HostInfo, site, by)
}

// mostOfSite reports whether so many documents of a site would be taken out, n of live, that it is put on hold. Of a small site
// that is all of them.
func mostOfSite(n, live int, share float64) bool {
	if live < crawl.SmallSite {
		return live > 0 && n >= live && share < 1
	}
	return float64(n) > share*float64(live)+shareSlack
}

// countBanned counts the live documents of a site, and those that robots.txt forbids. What the configuration
// refuses is left to its own sweep.
func (c *crawler) countBanned(ctx context.Context, ban *crawl.RobotsBan, p *policy) error {
	last := crawl.RegisteredURL{Next: math.MinInt64}
	for {
		known, err := c.store.SiteURLs(ctx, ban.Site, crawl.SiteFetched, last, math.MinInt64, sweepPage)
		if err != nil || len(known) == 0 {
			return err
		}
		last = known[len(known)-1]
		for _, k := range known {
			r := c.o.Scope.rule(k.URL, k.Hops)
			if k.Status.Base() != 200 || r.refused != "" {
				continue
			}
			ban.Live++
			if cause := p.forbids(r.page.Path); cause != "" {
				ban.Banned++
				ban.BannedOne, ban.Cause = k.ID, cause
			}
		}
	}
}
