package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// clear is -C: it empties the database. Without -w it asks first, and only YES confirms.
func (p *program) clear(ctx context.Context, s *store.DB) error {
	servers, err := p.servers()
	if err != nil {
		return err
	}
	if err := p.checkProject(ctx, s, servers); err != nil {
		return err
	}
	if !p.confirms("This removes all URLs, documents and words from the database " + s.Name()) {
		return errors.New("nothing was removed")
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

// confirms asks whether to go on, without -w. Only YES confirms.
func (p *program) confirms(what string) bool {
	if p.o.yes {
		return true
	}
	fmt.Fprintf(p.out, "%s. Type YES to go on: ", what)
	answer, _ := bufio.NewReader(p.in).ReadString('\n') // the end of the input is an answer, too: no
	return strings.HasPrefix(answer, "YES")
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
