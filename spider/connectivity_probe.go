package spider

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"golang.org/x/sync/errgroup"
)

const (
	maxProbed   = 100 // hosts that a test asks
	probedAtOne = 10  // at the same time
	probeTime   = 30 * time.Second
	fewStarts   = 10 // below so many start URLs one that is alive suffices
)

// probedHost is a host with start URLs.
type probedHost struct {
	server *Server  // of the first of them
	starts []string // URLs
}

// hostsOf returns the hosts of start URLs, without those of files.
func hostsOf(servers []Server) (hosts []probedHost) {
	place := make(map[string]int)
	for i := range servers {
		s := &servers[i]
		if s.URL.IsFile() {
			continue
		}
		at, ok := place[s.URL.HostInfo]
		if !ok {
			at = len(hosts)
			place[s.URL.HostInfo] = at
			hosts = append(hosts, probedHost{server: s})
		}
		hosts[at].starts = append(hosts[at].starts, s.URL.Text)
	}
	return hosts
}

// aliveWanted is how many start URLs of these hosts must be alive.
func aliveWanted(hosts []probedHost, share float64) int {
	starts := 0
	for i := range hosts {
		starts += len(hosts[i].starts)
	}
	if starts < fewStarts {
		return 1
	}
	return max(1, int(math.Ceil(share*float64(starts)-shareSlack)))
}

// fate is what the end of a request says about the network.
type fate int

const (
	alive    fate = iota // somebody answered, or refused the certificate; or the guard forbids the address
	byAnswer             // a server failed, which may be a proxy, or a name server knows no such host
	silent               // nobody answered
)

func fateOf(status int, cause string) fate {
	switch {
	case status >= 500 && status < 600, status == fetch.StatusUnknownHost:
		return byAnswer
	case status == fetch.StatusTLS, status == fetch.StatusUnreachable && strings.Contains(cause, "denied: "):
		return alive
	case isSilence(status):
		return silent
	}
	return alive
}

// probe asks the hosts of start URLs until enough are alive, and records what it found. It returns the outage, nil for none. One process
// tests at a time. Hosts that HostLoad closes at this hour are left out.
func (n *network) probe(ctx context.Context) (*Outage, error) {
	end, err := n.c.store.TestNetwork(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	var hosts []probedHost
	for _, i := range rand.Perm(len(n.hosts)) {
		if h := n.hosts[i]; len(hosts) < maxProbed && n.c.o.Load(h.server.URL.Host, time.Now()) > 0 {
			hosts = append(hosts, h)
		}
	}
	wanted := aliveWanted(hosts, n.c.o.ConnectivityShare)
	state := crawl.Connectivity{Good: true}
	outage := &Outage{}
	var mu sync.Mutex
	asking, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	group, _ := errgroup.WithContext(asking)
	group.SetLimit(probedAtOne)
	for i := range hosts {
		h := &hosts[i]
		outage.Of += len(h.starts)
		group.Go(func() error {
			status, cause, asked := n.probeHost(asking, h.server)
			mu.Lock()
			defer mu.Unlock()
			if outage.Alive >= wanted { // the others are not waited for
				return nil
			}
			for _, url := range h.starts {
				state.Tested = append(state.Tested, crawl.TestedStart{Hash: store.HashURL(url), Status: status})
			}
			if f := fateOf(status, cause); f == alive || f == byAnswer && len(hosts) == 1 {
				if outage.Alive += len(h.starts); outage.Alive >= wanted {
					cancel()
				}
			} else if outage.URL == "" || h == &hosts[0] {
				outage.URL, outage.Status, outage.Cause = asked, status, cause
			}
			return nil
		})
	}
	_ = group.Wait() // no error comes of it
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	state.Alive, state.Of = outage.Alive, outage.Of
	state.Good = len(hosts) == 0 || outage.Alive >= wanted
	if err := n.c.store.SetConnectivity(ctx, state); err != nil || state.Good {
		return nil, err
	}
	return outage, nil
}

// probeHost asks for the robots.txt of a host, which is always allowed, or for the start URL where robots.txt is not obeyed. What a host
// answers to that does not change its pace.
func (n *network) probeHost(ctx context.Context, server *Server) (status int, cause, asked string) {
	r := fetch.Request{URL: server.URL.Site + "robots.txt", Method: "GET", Robots: true, Fresh: true}
	if server.IgnoreRobots {
		r.URL, r.Auth, r.Robots = server.URL.Text, server.Auth, false
	}
	c := n.c
	delay, _ := c.pause(server.URL, server)
	if err := c.polite.enter(ctx, server.URL.Host, delay, longestStay); err != nil {
		return fetch.StatusUnreachable, err.Error(), r.URL
	}
	a := c.o.Fetcher.Fetch(ctx, r)
	defer a.Discard()
	c.polite.release(server.URL.Host, a.Elapsed, delay)
	return a.Status, a.Cause, r.URL
}

// FindOutage tests the network without a crawl. It returns nil when it is there, or ConnectivityInterval is 0.
func FindOutage(ctx context.Context, s *crawl.Store, o Options) (*Outage, error) {
	c := &crawler{o: o, store: s, polite: newPoliteness(o.Load), soft: ctx, idle: newIdle()}
	c.robots = &robotsCache{policies: make(map[string]*policy), agent: o.UserAgent, start: time.Now().Unix()}
	n := newNetwork(c)
	if n == nil {
		return nil, nil
	}
	return n.probe(ctx)
}
