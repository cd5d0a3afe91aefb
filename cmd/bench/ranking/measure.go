package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// measured are the numbers of a collection: means over all queries.
type measured struct {
	pages                int
	full, short, nothing float64
}

// measure crawls a collection and asks its queries.
func (s settings) measure(ctx context.Context, c collection, folder string) (m measured, err error) {
	pages, site, err := start(ctx, s.demosite, "-root", c.site, "-listen", "127.0.0.1:0")
	if err != nil {
		return m, err
	}
	defer stop(pages)
	address, err := freeAddress(ctx)
	if err != nil {
		return m, err
	}
	for name, text := range map[string]string{
		"sets.cnf":     "HostLoad * 0 24 8\nServer " + site + "/index.html\n",
		"spider.cnf":   "DataDir " + filepath.Join(folder, "pg") + "\nThreads 8\n",
		"searchd.conf": "Listen " + address + "\n",
	} {
		if err := write(filepath.Join(folder, "conf", name), []byte(text)); err != nil {
			return m, err
		}
	}
	conf := filepath.Join(folder, "conf")
	if out, err := exec.CommandContext(ctx, s.index, "--config", conf).CombinedOutput(); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() > 1 { // 1: some pages failed
			return m, fmt.Errorf("index: %w\n%s", err, out)
		}
	}
	defer func() { // the database server goes on without the programs
		out, failed := exec.CommandContext(context.WithoutCancel(ctx), s.index, "--config", conf, "--db", "stop").CombinedOutput()
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("index --db stop: %w\n%s", failed, out))
		}
	}()
	searchd := exec.CommandContext(ctx, s.searchd, "--config", conf)
	searchd.Cancel = func() error { return searchd.Process.Signal(syscall.SIGTERM) }
	if searchd.Stderr, err = os.Create(filepath.Join(folder, "searchd.log")); err != nil {
		return m, err
	}
	if err := searchd.Start(); err != nil {
		return m, err
	}
	defer stop(searchd)
	if err := ready(ctx, address); err != nil {
		return m, err
	}
	nothing := 0
	for _, q := range c.queries {
		for _, x := range []struct {
			text string
			sum  *float64
		}{{q.full, &m.full}, {q.short, &m.short}} {
			found, err := ask(ctx, address, x.text)
			if err != nil {
				return m, fmt.Errorf("%q: %w", x.text, err)
			}
			if len(found) == 0 {
				nothing++
			}
			if at := slices.Index(found, site+"/"+q.page); at >= 0 && at < 10 {
				*x.sum += 1 / math.Log2(float64(at)+2)
			}
		}
	}
	n := float64(len(c.queries))
	m.full, m.short, m.nothing = m.full/n, m.short/n, float64(nothing)/(2*n)
	err = filepath.WalkDir(c.site, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			m.pages++
		}
		return err
	})
	return m, err
}

// start starts demosite and returns the address that it prints.
func start(ctx context.Context, program string, args ...string) (*exec.Cmd, string, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := c.Start(); err != nil {
		return nil, "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, found := strings.Cut(line, " on ")
	if err != nil || !found {
		stop(c)
		return nil, "", fmt.Errorf("%s did not say where it serves: %q", program, line)
	}
	return c, strings.TrimSuffix(strings.TrimSpace(address), "/"), nil
}

func stop(c *exec.Cmd) {
	_ = c.Process.Signal(syscall.SIGTERM)
	_ = c.Wait()
}

// freeAddress returns an address on which nothing listens.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// ready waits until searchd answers.
func ready(ctx context.Context, address string) error {
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var status struct{}
		err := get(ctx, "http://"+address+"/healthz", &status)
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return err
		}
	}
}

// ask returns the URLs that a query finds, each with its clones behind it.
func ask(ctx context.Context, address, text string) (found []string, err error) {
	var answer struct {
		Results []struct {
			URL    string
			Clones []struct{ URL string }
		}
	}
	query := url.Values{"q": {text}, "ps": {"10"}, "gr": {"off"}, "format": {"json"}}
	if err := get(ctx, "http://"+address+"/search?"+query.Encode(), &answer); err != nil {
		return nil, err
	}
	for _, r := range answer.Results {
		found = append(found, r.URL)
		for _, c := range r.Clones {
			found = append(found, c.URL)
		}
	}
	return found, nil
}

// get reads an answer. That to a query which searchd rejects has no results.
func get(ctx context.Context, address string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode >= http.StatusInternalServerError {
		return errors.New(answer.Status)
	}
	if strings.HasSuffix(address, "/healthz") {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
