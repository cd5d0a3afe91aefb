package program

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/report"
)

const (
	checkTimeOut = 30 * time.Second       // of one request
	checkPause   = 250 * time.Millisecond // between two requests to a host that is not local
	checkDelay   = 5 * time.Second        // of a Crawl-delay, at most
	hostsAtOnce  = 8
)

// startResult is what --check-config says about a start URL.
type startResult struct {
	text string
	bad  bool
}

// checkStarts asks each start URL once, several hosts at a time, and prints a line for each in the order of sets.cnf.
func (p *program) checkStarts(ctx context.Context, options *spider.Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.stop, cancel)()
	results := make([]chan startResult, len(options.Servers))
	hosts := map[string][]int{}
	var order []string
	for i := range options.Servers {
		results[i] = make(chan startResult, 1)
		host := options.Servers[i].URL.HostInfo
		if hosts[host] == nil {
			order = append(order, host)
		}
		hosts[host] = append(hosts[host], i)
	}
	turns := make(chan struct{}, hostsAtOnce)
	for _, host := range order {
		go func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			checker := spider.NewStartChecker(options, p.checkPauses())
			for _, i := range hosts[host] {
				results[i] <- p.checkStart(ctx, checker, &options.Servers[i], options)
			}
		}()
	}
	bad := 0
	for i := range results {
		result := <-results[i]
		if p.stop.Err() != nil {
			return errInterrupted
		}
		word := "ok"
		if result.bad {
			word = "bad"
			bad++
		}
		fmt.Fprintf(p.out, "%-4s %s\n", word, clean(result.text))
	}
	if bad > 0 {
		return fmt.Errorf("%d of %s cannot be crawled as configured", bad, plural(int64(len(results)), "start URL"))
	}
	fmt.Fprintln(p.out, "no problem found")
	return nil
}

// checkPauses returns the pause of one host's checks: none before the first request, and none for a local address that asks for none.
func (p *program) checkPauses() func(context.Context, weburl.URL, time.Duration) {
	asked := map[string]bool{}
	return func(ctx context.Context, u weburl.URL, delay time.Duration) {
		delay = min(delay, checkDelay)
		if local, _ := p.guard.Local(u.Host); !local {
			delay = max(delay, checkPause)
		}
		if asked[u.HostInfo] && delay > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(delay):
			}
		}
		asked[u.HostInfo] = true
	}
}

// checkStart asks a start URL, and says what a crawl would say about it.
func (p *program) checkStart(ctx context.Context, checker *spider.StartChecker, server *spider.Server, options *spider.Options) startResult {
	if !server.URL.IsFile() && !openLiteral(p.guard, server.URL) {
		if err := p.guard.CheckStart(ctx, server.URL.Host); err != nil {
			return startResult{text: fmt.Sprintf("%s (%s): %v", server.URL.Text, server.Where, err), bad: true}
		}
	}
	a := checker.Check(ctx, server.URL)
	seen := ""
	for _, r := range a.Redirects {
		seen += " " + r + ","
	}
	v := report.StartVisit{URL: server.URL.Text, Result: a.Status, Rule: a.Rule, Cause: a.Cause}
	if a.Rule != "" || a.Status != 200 {
		problem := p.startProblem(&v, server, options)
		if problem == nil {
			problem = &startProblem{url: server.URL.Text, what: fmt.Sprintf("answered %s", numbered(a.Status))}
		}
		if seen != "" {
			problem.url += seen
		}
		return startResult{text: problem.String(), bad: true}
	}
	text := fmt.Sprintf("%s%s 200 %s", server.URL.Text, seen, a.ContentType)
	if a.Robots != "" {
		text += "; " + a.Robots + ", allowed"
	}
	return startResult{text: strings.TrimSpace(text)}
}
