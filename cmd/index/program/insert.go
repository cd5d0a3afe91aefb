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

// insert registers the URLs of -u and -f, due at once (-i). A URL that cannot be used is told and costs only itself.
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
		u, err := weburl.Normalize(line, p.cfg.Spider.MaxURLLength)
		if err == nil {
			err = outOfScope(options.Scope, u)
		}
		if err != nil {
			fmt.Fprintf(p.errOut, "index: %q: %v\n", withoutPassword(line), err)
			refused++
			continue
		}
		urls = append(urls, u)
	}
	created, err := p.registerTyped(ctx, s, options.Scope, urls, time.Now().Unix())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "inserted %d, known %d, refused %d\n", created, len(urls)-created, refused)
	if refused > 0 {
		return fmt.Errorf("%d of %d URLs were refused", refused, len(lines))
	}
	return nil
}

// outOfScope says why a URL would never be fetched; nil when it belongs to the document set.
func outOfScope(scope *spider.Scope, u weburl.URL) error {
	if scope.Server(u) == nil {
		return errors.New("no Server of sets.cnf rules this site")
	}
	if verdict, where := scope.Filter(u); verdict == spider.Disallow {
		return fmt.Errorf("refused by %s", where)
	}
	return nil
}
