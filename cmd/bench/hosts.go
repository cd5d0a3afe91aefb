package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// The pages of the hosts: text of natural length, about 5 KB of HTML each, with links.
const (
	hostSeed     = 77
	hostWords    = 120  // of the shortest page
	hostMean     = 560  // more words, on average
	hostMost     = 6000 // more words at most
	hostChildren = 8    // links to pages that no page before links to
	hostLinks    = 4    // links to other pages of the host
)

// hostsMain is the child process `bench hosts`: a web server with many hosts, each at a loopback address of its own. It prints
// the URLs of the start pages as JSON, and answers until its standard input ends. It is not measured.
func hostsMain(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench hosts", flag.ContinueOnError)
	hosts := f.Int("hosts", 1, "`number` of hosts")
	documents := f.Int("documents", 1, "`number` of documents of all hosts together")
	latency := f.Duration("latency", 0, "`time` that each answer takes")
	if err := f.Parse(args); err != nil {
		return err
	}
	var listeners []net.Listener
	var starts []string
	for i := range *hosts {
		// From 127.0.1.1 on: nothing else on the machine is likely to listen there.
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.%d.%d:0", 1+i/250, 1+i%250))
		if err != nil {
			return err
		}
		listeners, starts = append(listeners, listener), append(starts, "http://"+listener.Addr().String()+"/")
	}
	all := hostPages(starts, *documents)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	serving, stopped := errgroup.WithContext(ctx)
	for i, listener := range listeners {
		server := &http.Server{Handler: &hostSite{pages: all[i], latency: *latency}, ReadHeaderTimeout: 5 * time.Second}
		serving.Go(func() error {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
		serving.Go(func() error {
			<-stopped.Done()
			return server.Close()
		})
	}
	if err := json.NewEncoder(os.Stdout).Encode(starts); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	stop()
	return errors.Join(err, serving.Wait())
}

// hostSite is the handler of a host.
type hostSite struct {
	pages   [][]byte
	latency time.Duration
}

// ServeHTTP answers with a page and its tag.
func (s *hostSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(s.latency)
	n := 0
	if r.URL.Path != "/" {
		var err error
		number, found := strings.CutPrefix(r.URL.Path, "/page/")
		if n, err = strconv.Atoi(number); !found || err != nil || n <= 0 || n >= len(s.pages) {
			http.NotFound(w, r)
			return
		}
	}
	tag := `"` + strconv.Itoa(n) + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.pages[n]) // the crawl tells
}

// hostPages generates the pages of each host. A page links to pages of its host, so that all are reached from the first one
// in few steps, and to one page of another host.
func hostPages(starts []string, documents int) [][][]byte {
	r := rand.New(rand.NewPCG(hostSeed, 1))
	zipf := rand.NewZipf(r, synthExponent, synthShift, 1<<32-1)
	all := make([][][]byte, len(starts))
	for n := range documents {
		all[n%len(starts)] = append(all[n%len(starts)], nil)
	}
	for host, pages := range all {
		for n := range pages {
			page := fmt.Appendf(nil, "<!DOCTYPE html>\n<html lang=\"en\"><head><title>")
			words := func(count int) {
				for range count {
					page = append(spell(page, uint32(zipf.Uint64())), ' ')
				}
			}
			words(5)
			page = append(page, "</title></head>\n<body>\n<ul>"...)
			link := func(href string) {
				page = fmt.Appendf(page, `<li><a href="%s">`, href)
				words(2)
				page = append(page, "</a></li>\n"...)
			}
			for child := hostChildren*n + 1; child <= hostChildren*(n+1) && child < len(pages); child++ {
				link(hostPath(child))
			}
			for range hostLinks {
				link(hostPath(r.IntN(len(pages))))
			}
			other := r.IntN(len(starts))
			link(strings.TrimSuffix(starts[other], "/") + hostPath(r.IntN(len(all[other]))))
			page = append(page, "</ul>\n"...)
			for left := hostWords + min(int(r.ExpFloat64()*hostMean), hostMost); left > 0; {
				paragraph := min(left, 30+r.IntN(90))
				page = append(page, "<p>"...)
				words(paragraph)
				page = append(page, "</p>\n"...)
				left -= paragraph
			}
			pages[n] = append(page, "</body></html>\n"...)
		}
		all[host] = pages
	}
	return all
}

// hostPath is the path of a page of a host.
func hostPath(n int) string {
	if n == 0 {
		return "/"
	}
	return "/page/" + strconv.Itoa(n)
}
