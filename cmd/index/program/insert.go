package program

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
)

// insert is -i: it registers the URLs of -u and -f, due at once. It reports those that cannot be used and inserts
// the others.
func (p *program) insert(ctx context.Context, s *store.DB) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	lines, err := p.listed(p.o.urls)
	if err != nil {
		return err
	}
	var urls []weburl.URL
	refused := 0
	for _, line := range lines {
		u, err := weburl.Typed(line, p.cfg.Spider.MaxURLLength)
		u = options.Scope.Unduplicated(u)
		if err != nil {
			err = wrongURL(line, err)
		} else if err = outOfScope(options.Scope, u); err != nil {
			err = fmt.Errorf("%q: %w", withoutPassword(line), err)
		}
		if err != nil {
			fmt.Fprintf(p.errOut, "index: %v\n", err)
			refused++
			continue
		}
		urls = append(urls, u)
	}
	created, err := p.registerManual(ctx, s, options.Scope, urls, time.Now().Unix())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "inserted %d, known %d, refused %d\n", created, len(urls)-created, refused)
	if refused > 0 {
		return fmt.Errorf("%d of %d URLs were refused", refused, len(lines))
	}
	return nil
}

// outOfScope returns why a URL would never be fetched; nil if the rules admit it.
func outOfScope(scope *spider.Scope, u weburl.URL) error {
	if scope.Server(u) == nil {
		return errors.New("no Server of sets.cnf covers this site")
	}
	if verdict, where := scope.Filter(u); verdict == spider.Disallow {
		return fmt.Errorf("refused by %s", where)
	}
	return nil
}
