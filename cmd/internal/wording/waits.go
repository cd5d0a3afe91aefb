package wording

import (
	"fmt"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// HoldText formats since when and why a site is on hold.
func HoldText(h *report.Hold) string {
	return fmt.Sprintf("on hold since %s: %s", h.Since.Local().Format(time.DateTime), report.HoldReasons[h.Reason])
}

// HoldEnds says what ends the hold of a site: at is the time by which it ends in any case.
func HoldEnds(reason, at string, lostLimit int, site string) string {
	switch reason {
	case crawl.HoldRobots:
		return fmt.Sprintf("when robots.txt forbids less; its documents leave when it was fetched on %d different days, or by index --release %s", lostLimit, site)
	case crawl.HoldRedirects:
		return fmt.Sprintf("when its documents answer again; those that redirect leave when that was seen on %d different days, or by index --release %s", lostLimit, site)
	}
	if reason == crawl.HoldCanonical {
		return fmt.Sprintf("when fewer do; index --release %s unites them, Canonical no above its Server line keeps them; unless most name the same page, they are united when that was seen on %d different days",
			site, lostLimit)
	}
	if reason == crawl.HoldNoIndex {
		return fmt.Sprintf("when fewer say so; their contents are removed LostPeriod after they left when they said so on %d different days, or after index --release %s",
			lostLimit, site)
	}
	return fmt.Sprintf("when the site has recovered, at %s, or by index --release %s", at, site)
}

// PauseText describes the pause of a host.
func PauseText(h *crawl.LimitedHost) string {
	return fmt.Sprintf("until %s, after %d of %s", h.Until.Local().Format(time.DateTime), h.Status, Clean(h.URL))
}

// AskedAgain formats when a robots.txt that could not be had is asked for again.
func AskedAgain(at time.Time, robotsTTL time.Duration) string {
	return "by each run from " + at.Add(min(spider.RobotsRetry, robotsTTL)).Local().Format(time.DateTime) + " on"
}
