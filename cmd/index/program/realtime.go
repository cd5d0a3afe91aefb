package program

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/merge"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
)

// realtimeMode is -T: when it returns, searches find the documents. With -A their sites join a web space.
func (p *program) realtimeMode(ctx context.Context, s *store.DB) error {
	sites, err := p.realtime(ctx, s)
	if p.o.space != 0 && len(sites) > 0 && !errors.Is(err, errInterrupted) {
		if _, joined := index.New(s).JoinSpace(ctx, p.o.space, sites); joined != nil { // what is found is in the space, whatever failed
			return errors.Join(joined, err)
		}
	}
	return err
}

// realtime visits the URLs of -T and -f and prints the result of each. It returns the sites of the documents that
// searches find now, by ascending key. After all URLs were tried it returns an error if some are not indexed.
func (p *program) realtime(ctx context.Context, s *store.DB) (sites []store.SiteID, err error) {
	p.boundMemory()
	options, err := p.spiderOptions()
	if err != nil {
		return nil, err
	}
	tellMissing(ctx, options.Converters)
	for i := range options.Servers {
		openLiteral(p.guard, options.Servers[i].URL)
	}
	if err := p.checkProject(ctx, s, options.Servers); err != nil {
		return nil, err
	}
	var failed []string
	urls, err := p.realtimeURLs(func(line string, err error) {
		if bare := (wording.BareHostError{}); errors.As(wrongURL(line, err), &bare) {
			fmt.Fprintf(p.out, "Adding URL: %s\nStatus: %v\n", clean(line), bare)
			failed = append(failed, bare.Error())
			return
		}
		failed = append(failed, p.printFailure(line, err.Error()))
	})
	if err != nil {
		return nil, err
	}
	asked := len(failed) + len(urls)
	if len(urls) > 0 {
		if err := p.storeWordRules(ctx, s, options.Scope, false); err != nil {
			return nil, err
		}
		err := p.asRun(ctx, func(ctx context.Context, run *openRun) (store.Counts, error) {
			r, err := crawl.New(s).BeginRealtime(ctx, programName(), p.commandLine(), p.cfg.Hash[:])
			if err != nil {
				return store.Counts{}, err
			}
			run.end = r.End
			done, err := spider.Realtime(ctx, p.stop, crawl.New(s), r.Crawl, *options, urls, func(v spider.Visited) {
				if why := p.printVisited(&v); why != "" {
					failed = append(failed, why)
				} else if !slices.Contains(sites, v.Site) {
					sites = append(sites, v.Site)
				}
			})
			switch {
			case err != nil:
			case p.stop.Err() != nil:
				err = errInterrupted
			default:
				err = merge.LabelSites(ctx, index.New(s))
			}
			return done.Counts, err
		})
		if err != nil {
			slices.Sort(sites)
			return sites, err
		}
	}
	slices.Sort(sites)
	return sites, notIndexed(failed, asked, p.oneTerminal())
}

// notIndexed is the error about URLs that are not indexed, nil for none. told says that the user has read about each above.
func notIndexed(failed []string, asked int, told bool) error {
	switch {
	case len(failed) == 0:
		return nil
	case told && asked == 1:
		return errors.New("the URL is not indexed")
	case told:
		return fmt.Errorf("%d of %d URLs are not indexed", len(failed), asked)
	case asked == 1:
		return errors.New(failed[0])
	}
	return fmt.Errorf("%d of %d URLs are not indexed, the first: %s", len(failed), asked, failed[0])
}

// realtimeURLs returns the URLs of -T and -f, normalized, and calls bad for each that is unusable. A URL whose
// host is a literal address opens the guard for that address and port, as a start URL does.
func (p *program) realtimeURLs(bad func(line string, err error)) ([]weburl.URL, error) {
	lines, err := p.listed(slices.DeleteFunc(slices.Clone(p.o.realtime), func(line string) bool { return line == "" }))
	if err != nil {
		return nil, err
	}
	urls := make([]weburl.URL, 0, len(lines))
	for _, line := range lines {
		u, err := weburl.Typed(line, p.cfg.Spider.MaxURLLength)
		if err != nil {
			bad(line, err)
			continue
		}
		openLiteral(p.guard, u)
		urls = append(urls, u)
	}
	return urls, nil
}

// printFailure prints that a URL is unusable and returns the text for the error at the end.
func (p *program) printFailure(line, why string) string {
	line = clean(withoutPassword(line))
	fmt.Fprintf(p.out, "Adding URL: %s\nStatus: %s\n", line, why)
	return line + ": " + why
}

// printVisited prints the result of a URL, a line for the URL and one for its status, and the same for each
// redirect. If the document is not indexed it returns the text for the error at the end.
func (p *program) printVisited(v *spider.Visited) (failed string) {
	for i := range v.Steps {
		step := &v.Steps[i]
		last := i == len(v.Steps)-1
		status := stepStatus(step)
		if last && v.Found {
			status = "OK (" + step.Rule + ")"
		}
		if step.Target != "" {
			status += ", redirects to " + clean(step.Target)
		}
		fmt.Fprintf(p.out, "Adding URL: %s\nStatus: %s\n", clean(step.URL), status)
		if last && !v.Found {
			failed = clean(v.URL) + ": " + status
			if i > 0 {
				failed = fmt.Sprintf("%s redirects to %s: %s", clean(v.URL), clean(step.URL), status)
			}
		}
	}
	return failed
}

// stepStatus formats a status with its name, the rule that decided, and the cause.
func stepStatus(step *spider.RedirectHop) string {
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
