package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	realtimeURLs   = 200 // of one call of index -T
	realtimeRounds = 3
	mergedBeside   = 50 // documents are changed one in so many, for the merge that runs beside -T
)

// realtime gives documents of the crawl new versions and passes their URLs to index -T. Then -D merges them.
func (b *bench) realtime(ctx context.Context, r *results) error {
	edit, err := b.editor()
	if err != nil {
		return err
	}
	if err := b.main.waitIdle(ctx); err != nil {
		return err
	}
	changed, err := edit.change(min(realtimeURLs, len(edit.urls)))
	if err != nil {
		return err
	}
	step("index -T of %d URLs", len(changed))
	if r.realtime, err = b.main.now(ctx, changed); err != nil {
		return err
	}
	r.fold, err = b.main.index(ctx, "-D")
	return err
}

// now runs index -T on URLs. On the server it counts the backends of -T only, so that other programs can run
// beside it.
func (d *database) now(ctx context.Context, urls []string) (u usage, err error) {
	file := filepath.Join(d.data, d.name+".urls")
	if err := os.WriteFile(file, []byte(strings.Join(urls, "\n")+"\n"), 0o644); err != nil {
		return u, err
	}
	watch := d.watchBackends(ctx, "index -T")
	u, err = d.quietly(ctx, "-T", "-f", file)
	own, failed := watch()
	if err = errors.Join(err, failed); err != nil {
		return u, err
	}
	u.postgres = own
	var there int
	err = d.conn.QueryRow(ctx, `SELECT count(*) FROM rt_urls r JOIN urlword w USING (url_id) WHERE w.url = ANY($1)`, urls).Scan(&there)
	if err == nil && there < len(urls)*9/10 { // an original that changed may leave its clones
		err = fmt.Errorf("index -T of %d URLs left %d in rt_urls", len(urls), there)
	}
	return u, err
}

// watchBackends sums up the CPU of the backends of one program on this database, until the returned function is
// called. What a backend uses in its last hundredth of a second is missed.
func (d *database) watchBackends(ctx context.Context, application string) func() (time.Duration, error) {
	ctx, stop := context.WithCancel(ctx)
	type result struct {
		cpu time.Duration
		err error
	}
	done := make(chan result, 1)
	go func() {
		known := map[int]bool{} // pid: one of them?
		spent := map[int]int64{}
		sum := func(err error) {
			var all int64
			for _, n := range spent {
				all += n
			}
			done <- result{time.Duration(all) * tick, err}
		}
		every := time.NewTicker(10 * time.Millisecond)
		defer every.Stop()
		for {
			children, err := d.meter.children()
			if err != nil {
				sum(err)
				return
			}
			for pid, s := range children {
				mine, seen := known[pid]
				if !seen {
					var name string
					asking := context.WithoutCancel(ctx)
					err := d.bench.conn.QueryRow(asking, `SELECT coalesce((SELECT application_name FROM pg_stat_activity
						WHERE pid = $1 AND datname = $2), '')`, pid, d.name).Scan(&name)
					if err != nil {
						sum(err)
						return
					}
					if mine = strings.HasPrefix(name, application); mine || name != "" {
						known[pid] = mine // one without a name may still be about to say it
					}
				}
				if mine {
					spent[pid] = s
				}
			}
			select {
			case <-ctx.Done():
				sum(nil)
				return
			case <-every.C:
			}
		}
	}()
	return func() (time.Duration, error) {
		stop()
		r := <-done
		return r.cpu, r.err
	}
}

// synthServer serves the documents of the first site.
type synthServer struct {
	pages  synthPages
	server http.Server
}

// serveSynthetic starts a server.
func serveSynthetic(ctx context.Context) (*synthServer, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &synthServer{pages: synthPages{first: fmt.Sprintf("http://%s/", listener.Addr())}}
	s.server = http.Server{Handler: &s.pages, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.server.Serve(listener) }() // until Close
	return s, nil
}

// synthRealtime passes the same documents to index -T on all databases, which alternate; then once more, beside a
// merge of the largest one.
func (b *bench) synthRealtime(ctx context.Context, s *synthetic, server *synthServer, few, most *database) error {
	c := newCorpus(server.pages.first)
	var all []int32
	for url := int32(synthFirstURL); int(url) < synthFirstURL+s.few; url++ {
		if c.site(url) == synthFirstSite {
			all = append(all, url)
		}
	}
	draw := rand.New(rand.NewPCG(synthSeed, 11))
	some := func() (urls []string) {
		draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, url := range all[:min(realtimeURLs, len(all)/2)] {
			urls = append(urls, c.address(url))
		}
		return urls
	}
	for _, d := range []*database{few, most} {
		if err := d.waitIdle(ctx); err != nil {
			return err
		}
	}
	step("index -T of %d URLs among %d and %d, in turns", realtimeURLs, s.few, s.most)
	server.pages.documents = s.most
	for round := range realtimeRounds {
		server.pages.number = 1000 + round
		urls := some()
		s.realtimeURLs = int64(len(urls))
		for _, d := range []struct {
			*database
			sum *usage
		}{{few, &s.realtimeFew}, {most, &s.realtimeMost}} {
			u, err := d.now(ctx, urls)
			if err != nil {
				return err
			}
			*d.sum = d.sum.add(u)
		}
	}
	if err := most.change(ctx, server.pages.first, someOf(draw, s.most, s.most/mergedBeside), 2000, s.most); err != nil {
		return err
	}
	step("index -T of %d URLs beside -D of %d documents", realtimeURLs, s.most/mergedBeside)
	ended := make(chan error, 1)
	var beside usage
	go func() {
		u, err := b.meter.child(ctx, filepath.Join(b.data, most.name+"-beside.log"), nil, b.index, "--config", most.conf, "-D")
		beside = u
		ended <- err
	}()
	server.pages.number = 3000
	u, err := most.now(ctx, some())
	select {
	case failed := <-ended:
		step("-D took %s and was done before -T: no figure of both", beside.wall.Round(time.Millisecond))
		return errors.Join(err, failed)
	default:
		s.realtimeBeside = u
		return errors.Join(err, <-ended)
	}
}
