package main

import (
	"fmt"
	"io"
	"time"
)

// The bounds of the acceptance (issue: make bench).
const (
	boundFloor  = 2.5       // (index + -D) / floor, on the medium set: small pages leave more of the cost to each document
	boundVector = 1.0       // -D / tsvector
	boundAgain  = 0.25      // index -a --no-merge of unchanged pages / the first crawl
	boundLease  = 1.5       // a lease among a million known URLs / among ten thousand
	boundIndex  = 400 << 20 // VmHWM of index
	boundMerge  = 150 << 20 // VmHWM of -D beyond MergeMemory
)

// results are what one run found.
type results struct {
	fetched, documents, bytes, words int64 // ours: URLs, documents with content, their bytes, words of the index
	crawl, merge, again              usage
	oursTables                       []table

	floor                                 usage
	floorDocuments, floorWords, floorSize int64

	tsvector              usage
	textBytes, vectorSize int64

	lease leaseTimes

	set         string
	mergeMemory int64
}

// print writes the tables.
func (r *results) print(out io.Writer) {
	fmt.Fprintf(out, "\nThe %s set: %d documents with content of %d URLs fetched, %.1f MB; %d words\n\n", r.set, r.documents, r.fetched, mb(r.bytes), r.words)
	fmt.Fprintf(out, "%-26s %9s %9s %9s %9s %9s %9s\n", "CPU seconds", "program", "postgres", "together", "us/doc", "wall s", "peak MiB")
	both := r.crawl.add(r.merge)
	r.line(out, "floor", r.floor, r.floorDocuments)
	r.line(out, "index --no-merge", r.crawl, r.documents)
	r.line(out, "index -D", r.merge, r.documents)
	r.line(out, "index + -D", both, r.documents)
	r.line(out, "index -a again, unchanged", r.again, r.fetched)
	r.line(out, "to_tsvector + GIN", r.tsvector, r.documents)

	fmt.Fprintf(out, "\nMB on disk: ours")
	var total int64
	for _, t := range r.oursTables {
		total += t.size
	}
	fmt.Fprintf(out, " %.1f:", mb(total))
	for _, t := range r.oursTables {
		fmt.Fprintf(out, " %s %.1f", t.name, mb(t.size))
	}
	fmt.Fprintf(out, "\n            floor %.1f (%d words); tsvector + GIN %.1f for %.1f of text\n\n",
		mb(r.floorSize), r.floorWords, mb(r.vectorSize), mb(r.textBytes))

	fmt.Fprintf(out, "%-34s %9s %9s\n", "", "measured", "bound")
	bound := boundFloor
	if r.set != "medium" {
		bound = 0
	}
	verdict(out, "(index + -D) / floor, CPU", ratio(both, r.floor), bound, "%.2f")
	verdict(out, "-D / (to_tsvector + GIN), CPU", ratio(r.merge, r.tsvector), boundVector, "%.2f")
	verdict(out, "index -a again / index, CPU", ratio(r.again, r.crawl), boundAgain, "%.2f")
	verdict(out, fmt.Sprintf("lease of 1M / 10k URLs (%d us)", r.lease.few.Microseconds()),
		r.lease.many.Seconds()/max(r.lease.few.Seconds(), 1e-6), boundLease, "%.2f")
	verdict(out, "peak memory of index, MiB", mib(r.crawl.peak), mib(boundIndex), "%.0f")
	verdict(out, "peak memory of index -D, MiB", mib(r.merge.peak), mib(r.mergeMemory+boundMerge), "%.0f")
	fmt.Fprintln(out, "\nNot counted: the web server of the pages, making the schema, making the texts for to_tsvector.")
}

// line is a part in the table of costs.
func (r *results) line(out io.Writer, name string, u usage, documents int64) {
	peak := "-"
	if u.peak > 0 {
		peak = fmt.Sprintf("%.0f", mib(u.peak))
	}
	perDocument := u.cpu() / time.Duration(max(documents, 1))
	fmt.Fprintf(out, "%-26s %9.2f %9.2f %9.2f %9d %9.2f %9s\n", name, u.program.Seconds(), u.postgres.Seconds(), u.cpu().Seconds(),
		perDocument.Microseconds(), u.wall.Seconds(), peak)
}

// verdict is a measured number with its bound, 0 when it has none here.
func verdict(out io.Writer, name string, measured, bound float64, format string) {
	limit, mark := "-", ""
	if bound > 0 {
		limit = fmt.Sprintf(format, bound)
		if measured > bound {
			mark = "  MISSED"
		}
	}
	fmt.Fprintf(out, "%-34s %9s %9s%s\n", name, fmt.Sprintf(format, measured), limit, mark)
}

func ratio(a, b usage) float64 { return a.cpu().Seconds() / max(b.cpu().Seconds(), 0.01) }

func mb(bytes int64) float64  { return float64(bytes) / 1e6 }
func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
