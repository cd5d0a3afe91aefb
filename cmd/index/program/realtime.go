package program

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
)

// realtimeMode is -T: searches find the documents when it returns (rules.md 7.3).
func (p *program) realtimeMode(ctx context.Context, s *store.DB) error {
	sites, err := p.realtime(ctx, s)
	if p.o.space != 0 && len(sites) > 0 && !errors.Is(err, errInterrupted) {
		if _, joined := index.New(s).JoinSpace(ctx, p.o.space, sites); joined != nil { // what is found is in the space, whatever failed
			return errors.Join(joined, err)
		}
	}
	return err
}

// realtime visits the URLs of -T and -f and tells what came of each. It returns the sites of the documents that searches find
// now, by ascending key. The error says that some are not among them, after all were tried.
func (p *program) realtime(ctx context.Context, s *store.DB) (sites []store.SiteID, err error) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(crawlGCPercent)
	}
	options, err := p.spiderOptions()
	if err != nil {
		return nil, err
	}
	for i := range options.Servers {
		openLiteral(p.guard, options.Servers[i].URL)
	}
	var failed []string
	urls, err := p.realtimeURLs(func(line string, err error) {
		failed = append(failed, p.tellFailure(line, err.Error()))
	})
	if err != nil {
		return nil, err
	}
	asked := len(failed) + len(urls)
	if len(urls) > 0 {
		if err := p.keepWordRules(ctx, s); err != nil {
			return nil, err
		}
		run, err := crawl.New(s).BeginRealtime(ctx, programName(), strings.Join(p.o.text, " "), p.cfg.Hash[:])
		if err != nil {
			return nil, err
		}
		done, err := spider.Realtime(ctx, p.stop, crawl.New(s), run.Crawl, *options, urls, func(v spider.Visited) {
			if why := p.tellVisited(&v); why != "" {
				failed = append(failed, why)
			} else if !slices.Contains(sites, v.Site) {
				sites = append(sites, v.Site)
			}
		})
		reason := spider.EndComplete
		switch {
		case p.stop.Err() != nil:
			reason, err = spider.EndStopped, errInterrupted
		case err != nil:
			reason = spider.EndFailed
		default:
			err = merge.LabelSites(ctx, index.New(s))
		}
		closing, closed := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer closed()
		if ended := run.End(closing, reason, done.Counts); ended != nil && err == nil {
			err = ended
		}
		if err != nil {
			slices.Sort(sites)
			return sites, err
		}
	}
	slices.Sort(sites)
	switch {
	case len(failed) == 1 && asked == 1:
		err = errors.New(failed[0])
	case len(failed) > 0:
		err = fmt.Errorf("%d of %d URLs are not indexed, the first: %s", len(failed), asked, failed[0])
	}
	return sites, err
}

// realtimeURLs are the URLs of -T and -f, normalised. bad is told of those that are none for us. One whose host is a literal
// address opens that address and port (design.md 4).
func (p *program) realtimeURLs(bad func(line string, err error)) ([]weburl.URL, error) {
	lines, err := p.listed(slices.DeleteFunc(slices.Clone(p.o.realtime), func(line string) bool { return line == "" }))
	if err != nil {
		return nil, err
	}
	urls := make([]weburl.URL, 0, len(lines))
	for _, line := range lines {
		u, err := weburl.Normalize(line, p.cfg.Spider.MaxURLLength)
		if err != nil {
			bad(line, err)
			continue
		}
		openLiteral(p.guard, u)
		urls = append(urls, u)
	}
	return urls, nil
}

// tellFailure tells of a URL that nobody can be asked for, and returns what to say of it at the end.
func (p *program) tellFailure(line, why string) string {
	line = clean(withoutPassword(line))
	fmt.Fprintf(p.out, "Adding URL: %s\nStatus: %s\n", line, why)
	return line + ": " + why
}

// tellVisited tells what came of a URL, a line for it and one for its status, and so for each that a redirect led to
// (aspseek.md 1.5). It returns what to say at the end of one that is not indexed.
func (p *program) tellVisited(v *spider.Visited) (failed string) {
	for i := range v.Steps {
		step := &v.Steps[i]
		last := i == len(v.Steps)-1
		status := stepStatus(step)
		if last && v.Found {
			status = "OK (" + step.Rule + ")"
		}
		if step.Target != "" {
			status += ", goes on to " + clean(step.Target)
		}
		fmt.Fprintf(p.out, "Adding URL: %s\nStatus: %s\n", clean(step.URL), status)
		if last && !v.Found {
			failed = clean(v.URL) + ": " + status
			if i > 0 {
				failed = fmt.Sprintf("%s leads to %s: %s", clean(v.URL), clean(step.URL), status)
			}
		}
	}
	return failed
}

// stepStatus is a status with its text, the rule that decided and why.
func stepStatus(step *spider.Step) string {
	if step.Rule == "" && step.Status == 0 {
		return step.Cause
	}
	status := numbered(step.Status)
	if step.Rule != "" {
		status += " (" + step.Rule + ")"
	}
	if step.Cause != "" {
		status += ": " + clean(step.Cause)
	}
	return status
}
