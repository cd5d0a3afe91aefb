package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	widthDocuments = 6000 // of each case, spread over its hosts
	widthOnSmall   = 4    // BENCH_SET=small has this many times fewer
	widthLimit     = 5 * time.Minute
)

// widthCases are crawls of the same number of documents. The first one is what the others are compared with.
var widthCases = []widthCase{{16, 5, 0}, {100, 20, 0}, {100, 100, 0}, {500, 100, 0}, {500, 100, 500 * time.Millisecond}}

// widthCase is a crawl: so many fetchers, so many hosts, and how long each answer takes.
type widthCase struct {
	fetchers, hosts int
	latency         time.Duration
}

func (c widthCase) String() string {
	text := fmt.Sprintf("%d fetchers on %d hosts", c.fetchers, c.hosts)
	if c.latency > 0 {
		text += fmt.Sprintf(", %d ms", c.latency.Milliseconds())
	}
	return text
}

// widthResult is the cost of a case.
type widthResult struct {
	widthCase
	usage
	documents   int64
	connections int // of index at most
}

// width crawls with few fetchers and with many, on few hosts and on many.
func (b *bench) width(ctx context.Context, r *results) error {
	documents := widthDocuments
	if b.set == "small" {
		documents /= widthOnSmall
	}
	for _, c := range widthCases {
		result, err := b.widthOf(ctx, c, documents)
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		r.width = append(r.width, result)
	}
	return nil
}

func (b *bench) widthOf(ctx context.Context, c widthCase, documents int) (w widthResult, err error) {
	w.widthCase = c
	ctx, cancel := context.WithTimeout(ctx, widthLimit)
	defer cancel()
	starts, stop, err := serveHosts(ctx, c, documents)
	if err != nil {
		return w, err
	}
	defer stop()
	d, err := b.openDatabase(ctx, "width", nil, "")
	if err != nil {
		return w, err
	}
	d.sets = "Server " + strings.Join(starts, "\nServer ") + "\n"
	if err := d.configure(""); err != nil {
		return w, err
	}
	if _, err := d.quietly(ctx, "-S"); err != nil {
		return w, err
	}
	if err := d.exec(ctx, `CHECKPOINT`); err != nil { // no VACUUM: see crawl
		return w, err
	}
	if err := d.watchStatements(ctx); err != nil {
		return w, err
	}
	most := d.watchConnections(ctx)
	w.usage, err = d.index(ctx, "--no-merge", "-N", strconv.Itoa(c.fetchers))
	if w.connections = most(); err != nil {
		return w, err
	}
	if err := d.showStatements(ctx, c.String()); err != nil {
		return w, err
	}
	if err := d.conn.QueryRow(ctx, `SELECT count(*) FROM urlword WHERE status = 200`).Scan(&w.documents); err != nil {
		return w, err
	}
	if w.documents != int64(documents) {
		return w, fmt.Errorf("%d documents, want %d", w.documents, documents)
	}
	return w, d.drop(ctx)
}

// serveHosts starts the web server of a case, a process of its own that is not measured.
func serveHosts(ctx context.Context, c widthCase, documents int) (starts []string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, self, "hosts", "-hosts", strconv.Itoa(c.hosts), "-documents", strconv.Itoa(documents),
		"-latency", c.latency.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait() // it may have ended
	}
	if err := json.NewDecoder(out).Decode(&starts); err != nil {
		stop()
		return nil, nil, fmt.Errorf("bench hosts: %w", err)
	}
	return starts, stop, nil
}

// watchConnections counts the connections of index to this database, until the returned function is called. The pool
// keeps what it has opened, so few looks see the most.
func (d *database) watchConnections(ctx context.Context) func() int {
	ctx, stop := context.WithCancel(ctx)
	most := make(chan int)
	go func() {
		seen := 0
		every := time.NewTicker(200 * time.Millisecond)
		defer every.Stop()
		for {
			var now int
			err := d.bench.conn.QueryRow(context.WithoutCancel(ctx), `
				SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND application_name LIKE 'index%'`, d.name).Scan(&now)
			if err == nil {
				seen = max(seen, now)
			}
			select {
			case <-ctx.Done():
				most <- seen
				return
			case <-every.C:
			}
		}
	}()
	return func() int {
		stop()
		return <-most
	}
}

// perDocument is the CPU of a document in microseconds.
func (w *widthResult) perDocument() float64 {
	return float64(w.cpu().Microseconds()) / float64(max(w.documents, 1))
}

func printWidth(out io.Writer, list []widthResult) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%-34s %9s %9s %9s %9s %9s %9s\n", "CPU microseconds a document", "program", "postgres", "together", "docs/s",
		"connect.", "peak MiB")
	for _, w := range list {
		n := float64(max(w.documents, 1))
		fmt.Fprintf(out, "%-34s %9.0f %9.0f %9.0f %9.0f %9d %9.0f\n", w, float64(w.program.Microseconds())/n,
			float64(w.postgres.Microseconds())/n, w.perDocument(), n/max(w.wall.Seconds(), 1e-3), w.connections, mib(w.peak))
	}
}

func printWidthBounds(out io.Writer, list []widthResult) {
	if len(list) == 0 {
		return
	}
	first, connections := list[0], 0
	for _, w := range list {
		connections = max(connections, w.connections)
		if w.fetchers >= 500 && w.latency == 0 {
			verdict(out, fmt.Sprintf("%s / %s, CPU", w, first), w.perDocument()/max(first.perDocument(), 1), boundWidth, "%.2f")
		}
		if w.latency > 0 {
			atLeast(out, fmt.Sprintf("documents a second, %s", w), float64(w.documents)/max(w.wall.Seconds(), 1e-3), boundWide, "%.0f")
		}
	}
	verdict(out, "connections of index, at most", float64(connections), boundConnections, "%.0f")
}
