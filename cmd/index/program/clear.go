package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/index"
)

// clear is -C: it empties the database, or removes the URLs within the limits. Without -w it asks first, and only YES confirms.
func (p *program) clear(ctx context.Context, s *store.DB) error {
	servers, err := settings.Servers(p.cfg)
	if err != nil {
		return err
	}
	if err := p.checkProject(ctx, s, servers); err != nil {
		return err
	}
	limits, err := p.limits()
	if err != nil {
		return err
	}
	if !limits.Any() {
		return p.clearChosen(ctx, s, limits)
	}
	if err := p.confirm(fmt.Sprintf("This removes all URLs, documents and words from the database %s.", s.Name())); err != nil {
		return err
	}
	release, err := lockOut(ctx, s)
	defer release()
	if err != nil {
		return err
	}
	if err := index.New(s).Clear(ctx); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "the database %s is empty\n", s.Name())
	return nil
}

// lockOut keeps crawls, merges and real-time runs out until release. It fails when there is one.
func lockOut(ctx context.Context, s *store.DB) (release func(), err error) {
	var locks []*store.SessionLocks
	release = func() {
		for _, lock := range locks {
			lock.Release()
		}
		locks = nil
	}
	for _, name := range []string{"crawl", "merge", "real-time run"} {
		lock, err := s.Lock(ctx, name)
		if err != nil {
			return release, err
		}
		locks = append(locks, lock)
	}
	return release, nil
}

// confirm asks the operator, unless -w was given. Only YES confirms.
func (p *program) confirm(what string) error {
	if p.o.yes {
		return nil
	}
	if p.o.file == "-" {
		return errors.New("-f - reads the standard input, so nobody can answer: add --yes")
	}
	fmt.Fprintf(p.out, "%s Type YES to go on: ", what)
	answer, _ := bufio.NewReader(p.in).ReadString('\n') // the end of the input is an answer, too: no
	if !strings.HasPrefix(answer, "YES") {
		return errors.New("nothing was removed")
	}
	return nil
}

// clearChosen removes the URLs within the limits (T-21). It holds the crawl's lock, because a crawl could find one of them.
func (p *program) clearChosen(ctx context.Context, s *store.DB, limits crawl.Limits) error {
	options, err := p.spiderOptions()
	if err != nil {
		return err
	}
	urls, documents, err := crawl.New(s).CountChosen(ctx, limits)
	if err != nil {
		return err
	}
	if urls == 0 {
		fmt.Fprintf(p.out, "no URL matches; nothing was removed\n")
		return nil
	}
	err = p.confirm(fmt.Sprintf("This removes %s (documents: %d) from the database %s. A link, a sitemap or a Server line may bring them back.",
		plural(int(urls), "URL"), documents, s.Name()))
	if err != nil {
		return err
	}
	lock, err := s.Lock(ctx, "crawl")
	if err != nil {
		return err
	}
	defer lock.Release()
	n, err := p.asPurge(ctx, s, func(ctx context.Context, begin spider.Begin) (int, error) {
		return spider.RemoveChosen(ctx, crawl.New(s), *options, limits, "index -C", begin)
	})
	if n > 0 || err == nil {
		fmt.Fprintf(p.out, "removed %s%s\n", plural(n, "URL"), mergeHint(n))
	}
	return err
}
