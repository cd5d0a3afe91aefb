package spider

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pgseek/pgseek/spider/robots"
	"github.com/pgseek/pgseek/spider/weburl"
)

// The pause between two requests to a host: the longest of what MinDelay asks for, what the host's robots.txt asks for
// (Crawl-delay, up to MaxCrawlDelay), and defaultPause for a host that may be somebody else's and for which no MinDelay line holds.

const defaultPause = 250 * time.Millisecond

// MaxCrawlDelay is the longest Crawl-delay that is obeyed; a longer one counts as this.
const MaxCrawlDelay = 30 * time.Second

// PauseCause is why there is a pause.
type PauseCause string

// The causes of pauses.
const (
	NoPause         PauseCause = ""
	PauseMinDelay   PauseCause = "MinDelay"
	PauseCrawlDelay PauseCause = "Crawl-delay"
	PauseDefault    PauseCause = "default pause"
)

// Pause is the pause between two requests to a host that bounds a crawl: more of its time went by with pauses of this host
// than without them.
type Pause struct {
	Host     string
	Length   time.Duration
	Cause    PauseCause
	Where    string // file:line of the Server line, for all causes; empty when there is none
	Requests int64
}

// pause returns the pause between two requests to the host of a URL that a Server rules; nil is none.
func (c *crawler) pause(u weburl.URL, server *Server) (length time.Duration, cause PauseCause) {
	if server != nil && server.SaysMinDelay {
		length, cause = server.MinDelay, PauseMinDelay
	} else if !c.isLocal(u) {
		length, cause = defaultPause, PauseDefault
	}
	if server == nil || !server.IgnoreRobots {
		if asked := c.robots.crawlDelay(u.HostInfo); asked > length {
			length, cause = asked, PauseCrawlDelay
		}
	}
	if length == 0 {
		cause = NoPause
	}
	return length, cause
}

// isLocal reports whether the host of a URL is in the operator's own network; files are. The address of a name is known when it was connected to: until
// then the first request to it is alone (batch), so that a crawl need not wait after it; index -T waits.
func (c *crawler) isLocal(u weburl.URL) bool {
	if c.o.Local == nil || u.IsFile() {
		return true
	}
	local, known := c.o.Local(u.Host)
	return local || !known && c.realtime == nil
}

// isMet reports whether the pauses of a visit's host are known: its address and its robots.txt.
func (c *crawler) isMet(v *visit) bool {
	if c.o.Local != nil && !v.page.IsFile() {
		if _, known := c.o.Local(v.page.Host); !known {
			return false
		}
	}
	return c.robots.known(v.page) != nil
}

// pausesLong reports whether a fetcher works for another host between two of these visits.
func (c *crawler) pausesLong(list []*visit) bool {
	return slices.ContainsFunc(list, func(v *visit) bool {
		length, _ := c.pause(v.page, v.server)
		return length > longestStay
	})
}

// longestPause returns the longest pause of some visits to a host of which this process may not know the robots.txt yet.
func (c *crawler) longestPause(ctx context.Context, list []*visit) (longest time.Duration, err error) {
	asked := make(map[string]bool)
	for _, v := range list {
		if v.server == nil {
			continue
		}
		if info := v.page.HostInfo; !asked[info] && !v.server.IgnoreRobots {
			asked[info] = true
			file, err := c.store.LoadRobots(ctx, info)
			if err != nil {
				return 0, err
			}
			if file != nil {
				longest = max(longest, min(robots.Parse(file.Body, c.o.UserAgent).CrawlDelay(), MaxCrawlDelay))
			}
		}
		length, _ := c.pause(v.page, v.server)
		longest = max(longest, length)
	}
	return longest, nil
}

// crawlDelay returns the pause that the robots.txt of a host asks for, as far as it was read in this run.
func (c *robotsCache) crawlDelay(hostInfo string) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.policies[hostInfo]; p != nil {
		return min(p.rules.CrawlDelay(), MaxCrawlDelay)
	}
	return 0
}

// pauses adds up the pauses of each host.
type pauses struct {
	mu    sync.Mutex
	hosts map[string]*pausedHost
}

type pausedHost struct {
	Pause
	total time.Duration
}

// maxPausedHosts bounds the hosts whose pauses are added up; those that come later are not looked at.
const maxPausedHosts = 10_000

// add counts the pause after a request.
func (p *pauses) add(host string, length time.Duration, cause PauseCause, server *Server) {
	if length == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.hosts[host]
	if h == nil {
		if len(p.hosts) >= maxPausedHosts {
			return
		}
		if p.hosts == nil {
			p.hosts = make(map[string]*pausedHost)
		}
		h = &pausedHost{}
		p.hosts[host] = h
	}
	h.total += length
	requests := h.Requests + 1
	h.Pause = Pause{Host: host, Length: length, Cause: cause, Requests: requests}
	if server != nil {
		h.Where = server.Where
	}
}

// A pause that took less than boundingTime of a crawl is not worth a word.
const boundingTime = 3 * time.Second

// bound returns the pause that bounds a crawl of so long, nil for none: the pauses of one host are more than half of it.
func (p *pauses) bound(elapsed time.Duration) *Pause {
	p.mu.Lock()
	defer p.mu.Unlock()
	var longest *pausedHost
	for _, h := range p.hosts {
		if longest == nil || h.total > longest.total || h.total == longest.total && h.Host < longest.Host {
			longest = h
		}
	}
	if longest == nil || longest.total < boundingTime || longest.total < elapsed/2 {
		return nil
	}
	pause := longest.Pause
	return &pause
}

// Remedy says what to write for a shorter pause.
func (p *Pause) Remedy() string {
	above := "above its Server line"
	if p.Where != "" {
		above += " (" + p.Where + ")"
	}
	switch p.Cause {
	case PauseCrawlDelay:
		return "only the site's owner can shorten it, in its robots.txt"
	case PauseMinDelay:
		return fmt.Sprintf("write a shorter MinDelay %s if the site can bear it", above)
	}
	return fmt.Sprintf("if the site is yours, or its owner agrees, write %s: MinDelay 0", above)
}
