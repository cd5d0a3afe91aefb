package main

import (
	"fmt"
	"io"
	"time"
)

// Bounds of the parts. Those of the crawl and of its merge apply to the medium set: with small pages, more of the cost is
// per document.
const (
	boundFloor  = 2.5       // (index + -D) / floor
	boundAgain  = 0.25      // index -a --no-merge of unchanged pages / the first crawl
	boundLease  = 1.5       // a lease among a million known URLs / among ten thousand
	boundIndex  = 400 << 20 // VmHWM of index
	boundMemory = 150 << 20 // VmHWM of -D beyond MergeMemory

	boundBuild          = 1.5      // -D in one batch / floor of the merge
	boundFive           = 2.5      // in five
	boundVector         = 0.25     // -D / to_tsvector + GIN
	boundRound          = 0.35     // -D after 5 % changed / floor of the merge
	boundGIN            = 1.0      // the same / PostgreSQL's UPDATEs
	boundSmall          = 1.0 / 30 // -D after 0.1 % changed / -D of all
	boundGrowth         = 1.5      // the same change among a million / among a hundred thousand
	boundFresh          = 0.95     // bytes of index a byte of text, of a fresh build
	boundRounds         = 1.25     // after the rounds
	boundRealtime       = 6.0      // index -T of 200 URLs / a document of the crawl
	boundRealtimeGrowth = 1.5      // among a million / among ten thousand
	boundBeside         = 2.0      // beside -D / alone

	boundOffice = 2.0 // a byte of a Word document's XML / a byte of HTML, from bytes to words and packed content

	boundWidth       = 1.3 // CPU a document, 500 fetchers on 100 hosts / 16 on 5
	boundWide        = 500 // documents a second, 500 fetchers on 100 hosts that take half a second
	boundConnections = 16  // of a process

	boundWithWords = 1.0 // growth of the index / growth of the vocabulary
)

// results are the results of a run.
type results struct {
	fetched, documents, bytes, words int64 // ours: URLs, documents with content, their bytes, words of the index
	crawl, again                     usage
	merge, mergeFive, mergeSmall     usage
	oursTables                       []table
	freshSize, fiveSize              int64

	floor, floorIndex                     usage
	floorDocuments, floorWords, floorSize int64

	tsvector              usage
	textBytes, vectorSize int64

	round, smallRound, vectorRound   usage // sums
	roundFloor                       usage // sum, beside them
	changed                          int64 // documents a round
	roundText, roundSize, roundWords int64

	realtime, fold usage // index -T, and the -D behind it

	synthetic synthetic
	search    searchResults

	lease  leaseTimes
	leases leasesResult
	width  []widthResult
	before usage // the crawl with the program of -before

	officeHTML, officeXML float64 // nanoseconds a byte

	set         string
	mergeMemory int64
}

// print writes the tables.
func (r *results) print(out io.Writer) {
	r.printCosts(out)
	r.printSizes(out)
	r.search.print(out)
	printWidth(out, r.width)
	fmt.Fprintf(out, "\n%-52s %9s %9s\n", "", "measured", "bound")
	r.printBounds(out)
	r.synthetic.printBounds(out, r)
	r.search.printBounds(out)
	r.printGoals(out)
	fmt.Fprintln(out, "\nNot counted: the web server of the pages, making the schema, making the texts, changing and crawling before a round.")
}

func (r *results) printCosts(out io.Writer) {
	fmt.Fprintf(out, "\nThe %s set: %d documents with content of %d URLs fetched, %.1f MB; %.1f MB of text; %d words\n\n",
		r.set, r.documents, r.fetched, mb(r.bytes), mb(r.textBytes), r.words)
	fmt.Fprintf(out, "%-34s %9s %9s %9s %9s %9s %9s\n", "CPU seconds", "program", "postgres", "together", "us/doc", "wall s", "peak MiB")
	line(out, "floor of crawl and merge", r.floor, r.documents)
	line(out, "index --no-merge", r.crawl, r.documents)
	line(out, "index + -D", r.crawl.add(r.merge), r.documents)
	line(out, "index -a again, unchanged", r.again, r.fetched)
	line(out, "floor of the merge", r.floorIndex, r.documents)
	line(out, "index -D, one batch", r.merge, r.documents)
	line(out, "index -D, five batches", r.mergeFive, r.documents)
	line(out, "index -D, MergeMemory 64 MB", r.mergeSmall, r.documents)
	line(out, "to_tsvector + GIN", r.tsvector, r.documents)
	line(out, fmt.Sprintf("floor of the merge, mean of %d", roundFloors), r.roundFloor.by(roundFloors), r.documents)
	line(out, fmt.Sprintf("index -D, 5 %% changed, mean of %d", rounds), r.round.by(rounds), r.changed)
	line(out, "  UPDATE of tsvector, GIN flushed", r.vectorRound.by(rounds), r.changed)
	line(out, fmt.Sprintf("index -D, 0.1 %% changed, mean of %d", smallRounds), r.smallRound.by(smallRounds), max((r.documents+500)/1000, 1))
	line(out, fmt.Sprintf("index -T of %d URLs", realtimeURLs), r.realtime, realtimeURLs)
	line(out, "index -D, which folds them in", r.fold, realtimeURLs)
	r.synthetic.printCosts(out)
}

func (r *results) printSizes(out io.Writer) {
	fmt.Fprintf(out, "\nMB on disk: ours")
	var total int64
	for _, t := range r.oursTables {
		total += t.size
	}
	fmt.Fprintf(out, " %.1f:", mb(total))
	for _, t := range r.oursTables {
		fmt.Fprintf(out, " %s %.1f", t.name, mb(t.size))
	}
	fmt.Fprintf(out, "\n            floor %.1f (%d words); tsvector + GIN %.1f\n", mb(r.floorSize), r.floorWords, mb(r.vectorSize))
	fmt.Fprintf(out, "            the inverted index %.1f fresh, %.1f built in five batches, %.1f after the rounds, with %d words more\n",
		mb(r.freshSize), mb(r.fiveSize), mb(r.roundSize), r.roundWords-r.words)
	r.synthetic.printSizes(out)
}

func (r *results) printBounds(out io.Writer) {
	v := func(name string, measured, bound float64, format string) { verdict(out, name, measured, bound, format) }
	medium := func(name string, measured, bound float64, format string) {
		if r.set != "medium" {
			bound = 0
		}
		v(name, measured, bound, format)
	}
	round := r.round.by(rounds)
	medium("(index + -D) / floor, CPU", ratio(r.crawl.add(r.merge), r.floor), boundFloor, "%.2f")
	v("index -a again / index, CPU", ratio(r.again, r.crawl), boundAgain, "%.2f")
	v(fmt.Sprintf("lease of 1M / 10k URLs (%d us)", r.lease.few.Microseconds()),
		r.lease.many.Seconds()/max(r.lease.few.Seconds(), 1e-6), boundLease, "%.2f")
	v("peak memory of index, MiB", mib(r.crawl.peak), mib(boundIndex), "%.0f")
	medium("-D in one batch / floor of the merge, CPU", ratio(r.merge, r.floorIndex), boundBuild, "%.2f")
	medium("-D in five batches / floor of the merge, CPU", ratio(r.mergeFive, r.floorIndex), boundFive, "%.2f")
	v("-D / (to_tsvector + GIN), CPU", ratio(r.merge, r.tsvector), boundVector, "%.2f")
	medium("-D after 5 % changed / floor of the merge, CPU", ratio(round, r.roundFloor.by(roundFloors)), boundRound, "%.2f")
	v("-D after 5 % changed / UPDATE and GIN, CPU", ratio(r.round, r.vectorRound), boundGIN, "%.2f")
	medium("-D after 0.1 % changed / -D of all, CPU", ratio(r.smallRound.by(smallRounds), r.merge), boundSmall, "%.4f")
	perDocument := r.crawl.cpu().Seconds() / float64(max(r.documents, 1))
	medium("index -T a URL / a document of the crawl, CPU", r.realtime.cpu().Seconds()/realtimeURLs/max(perDocument, 1e-6), boundRealtime, "%.2f")
	v("peak memory of index -D, MiB", mib(max(r.merge.peak, r.mergeFive.peak, r.round.peak)), mib(r.mergeMemory+boundMemory), "%.0f")
	v("peak memory of index -D, MergeMemory 64 MB, MiB", mib(r.mergeSmall.peak), mib(smallMemory+boundMemory), "%.0f")
	if r.officeHTML > 0 {
		v(fmt.Sprintf("a byte of Office XML / of HTML (%.1f ns)", r.officeHTML), r.officeXML/r.officeHTML, boundOffice, "%.2f")
	}
	medium("bytes of index a byte of text, fresh", per(r.freshSize, r.textBytes), boundFresh, "%.2f")
	medium(fmt.Sprintf("bytes of index a byte of text, after %d rounds", rounds), per(r.roundSize, r.roundText), boundRounds, "%.2f")
}

// line prints a part in the table of costs, if it ran.
func line(out io.Writer, name string, u usage, documents int64) {
	if u == (usage{}) {
		return
	}
	peak := "-"
	if u.peak > 0 {
		peak = fmt.Sprintf("%.0f", mib(u.peak))
	}
	perDocument := u.cpu() / time.Duration(max(documents, 1))
	fmt.Fprintf(out, "%-34s %9.2f %9.2f %9.2f %9d %9.2f %9s\n", name, u.program.Seconds(), u.postgres.Seconds(), u.cpu().Seconds(),
		perDocument.Microseconds(), u.wall.Seconds(), peak)
}

// missed marks a number that misses its bound.
func missed(is bool) string {
	if is {
		return "  MISSED"
	}
	return ""
}

// atLeast is verdict for a number that shall not be less than its bound.
func atLeast(out io.Writer, name string, measured, bound float64, format string) {
	if measured == 0 {
		return
	}
	if bound == 0 {
		verdict(out, name, measured, 0, format)
		return
	}
	fmt.Fprintf(out, "%-52s %9s %9s%s\n", name, fmt.Sprintf(format, measured), "≥ "+fmt.Sprintf(format, bound), missed(measured < bound))
}

// verdict prints a number with its bound; 0 = no bound here. It prints nothing about a part that did not run.
func verdict(out io.Writer, name string, measured, bound float64, format string) {
	if measured == 0 {
		return
	}
	limit := "-"
	if bound > 0 {
		limit = fmt.Sprintf(format, bound)
	}
	fmt.Fprintf(out, "%-52s %9s %9s%s\n", name, fmt.Sprintf(format, measured), limit, missed(bound > 0 && measured > bound))
}

func ratio(a, b usage) float64 { return a.cpu().Seconds() / max(b.cpu().Seconds(), 0.01) }

func per(a, b int64) float64 { return float64(a) / float64(max(b, 1)) }

func mb(bytes int64) float64  { return float64(bytes) / 1e6 }
func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
