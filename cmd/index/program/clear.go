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
	if !p.o.yes {
		fmt.Fprintf(p.out, "This removes all URLs, documents and words from the database %s. Type YES to go on: ", s.Name())
		answer, _ := bufio.NewReader(p.in).ReadString('\n') // the end of the input is an answer, too: no
		if !strings.HasPrefix(answer, "YES") {
			return errors.New("nothing was removed")
		}
	}
	for _, name := range []string{"crawl", "merge", "real-time run"} {
		lock, err := s.Lock(ctx, name)
		if err != nil {
			return err
		}
		defer lock.Release()
	}
	if err := index.New(s).Clear(ctx); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "the database %s is empty\n", s.Name())
	return nil
}
