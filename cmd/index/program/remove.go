package program

import (
	"context"
	"errors"
	"fmt"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// longestLine bounds a line that keeps a URL out: each character of the URL may be escaped.
const longestLine = 4 * wording.MaxCleaned

// remove is --remove: it takes a page out at once, and prints the lines that keep it out.
func (p *program) remove(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	u, err := weburl.Typed(p.o.remove, p.cfg.Spider.MaxURLLength)
	if err != nil {
		return usageError("--remove " + wrongURL(p.o.remove, err).Error())
	}
	var r spider.Removed
	_, err = p.asPurge(ctx, s, func(ctx context.Context, begin spider.Begin) (n int, err error) {
		if r, err = spider.RemoveURL(ctx, crawl.New(s), *options, u, "index --remove", begin); err == nil && !r.Already {
			n = 1
		}
		return n, err
	})
	switch {
	case errors.Is(err, spider.ErrNotRegistered):
		err = fmt.Errorf("%s is not registered; nothing was removed", clean(u.Text))
	case err != nil:
		return err
	case r.Already:
		fmt.Fprintf(p.out, "%s was removed before\n", clean(r.URL))
	default:
		fmt.Fprintf(p.out, "removed %s; searches do not find it any more%s\n", clean(r.URL), mergeHint(1))
	}
	if r.Successor != "" {
		fmt.Fprintf(p.out, "%s has the same content and is found from the next merge on: remove it as well if that must not be\n", clean(r.Successor))
	}
	if err == nil {
		fmt.Fprintf(p.out, "It stays out until index -T, -i or --recrawl names it. To keep it out of every index:\n")
	} else {
		fmt.Fprintf(p.out, "To keep it out:\n")
	}
	if r.RobotsTxt != "" {
		fmt.Fprintf(p.out, "\n# %s\nUser-agent: *\n%s\n", clean(r.RobotsTxt), printable.String(r.Robots, longestLine))
	}
	fmt.Fprintf(p.out, "\n# sets.cnf, above the Server lines\n%s\n", printable.String(r.Sets, longestLine))
	return err
}
