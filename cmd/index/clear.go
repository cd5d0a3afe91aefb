package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/store"
)

// clear is -C: it empties the database, after a question that only YES answers (aspseek.md 1.4).
func (p *program) clear(ctx context.Context, s *store.Store) error {
	limits, err := p.limits()
	if err != nil {
		return err
	}
	if !limits.Any() {
		return usageError("-C with -s, -t or -u: not supported by this version")
	}
	if !p.o.yes {
		fmt.Fprintf(p.out, "This removes all URLs, documents and words from the database %s. Type YES to go on: ", s.Name())
		answer, _ := bufio.NewReader(p.in).ReadString('\n')
		if !strings.HasPrefix(answer, "YES") {
			return errors.New("nothing was removed")
		}
	}
	for _, name := range []string{"crawl", "merge"} {
		lock, err := s.Lock(ctx, name)
		if err != nil {
			return err
		}
		defer lock.Release()
	}
	return s.Clear(ctx)
}
