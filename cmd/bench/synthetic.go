package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
)

const (
	longRounds   = 100 // of 5 % changed documents, for the growth of the index
	window       = 10  // rounds whose sizes are averaged
	fewChanged   = 100 // documents that change among many and among more
	fewRounds    = 5
	synthOnSmall = 20 // BENCH_SET=small has this many times fewer documents
)

// synthetic is the result of the part with synthetic documents.
type synthetic struct {
	few, many, most int // documents

	buildMany, buildMost usage // of the most the first half, with the usual memory
	buildSmall           usage // the second half, with little
	changeMany           usage // sums
	changeMost           usage
	long                 usage

	realtimeURLs                              int64 // of a call of index -T
	realtimeFew, realtimeMost, realtimeBeside usage // sums of the rounds; once beside a merge

	check usage // index -X1 of the most

	sizeBegin, sizeEnd   int64 // means of the index's size after the first rounds and after the last
	wordsBegin, wordsEnd int64
	sizeMany, sizeMost   int64
	wordsMany, wordsMost int64
}

// synthetic measures how cost and size grow with the number of documents, and with the number of merges.
func (b *bench) synthetic(ctx context.Context, r *results) error {
	s := &r.synthetic
	s.few, s.many, s.most = 10_000, 100_000, 1_000_000
	if b.set == "small" {
		s.few, s.many, s.most = s.few/synthOnSmall, s.many/synthOnSmall, s.most/synthOnSmall
	}
	server, err := serveSynthetic(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = server.server.Close() }()
	first := server.pages.first
	few, err := b.longRun(ctx, s, first)
	if err != nil {
		return err
	}
	many, err := b.openSynthetic(ctx, fmt.Sprintf("synthetic_%d", s.many), first)
	if err != nil {
		return err
	}
	if err := many.load(ctx, first, synthFirstURL, synthFirstURL+s.many, s.many); err != nil {
		return err
	}
	if s.buildMany, err = many.index(ctx, "-D"); err != nil {
		return err
	}
	most, err := b.openSynthetic(ctx, fmt.Sprintf("synthetic_%d", s.most), first)
	if err != nil {
		return err
	}
	half := synthFirstURL + s.most/2
	if err := most.load(ctx, first, synthFirstURL, half, s.most); err != nil {
		return err
	}
	if s.buildMost, err = most.index(ctx, "-D"); err != nil {
		return err
	}
	if err := most.load(ctx, first, half, synthFirstURL+s.most, s.most); err != nil {
		return err
	}
	if err := most.configure("64 MB"); err != nil {
		return err
	}
	if s.buildSmall, err = most.index(ctx, "-D"); err != nil {
		return err
	}
	if err := most.configure(""); err != nil {
		return err
	}
	if s.sizeMany, s.wordsMany, err = many.indexSize(ctx); err != nil {
		return err
	}
	if s.sizeMost, s.wordsMost, err = most.indexSize(ctx); err != nil {
		return err
	}
	// The same documents change in both databases, which alternate.
	for _, d := range []*database{many, most} {
		if err := d.waitIdle(ctx); err != nil {
			return err
		}
	}
	step("%d changed documents, %d times", fewChanged, fewRounds)
	draw := rand.New(rand.NewPCG(synthSeed, 9))
	for round := range fewRounds {
		urls := someOf(draw, s.many, fewChanged)
		for _, d := range []struct {
			*database
			documents int
			sum       *usage
		}{{many, s.many, &s.changeMany}, {most, s.most, &s.changeMost}} {
			if err := d.change(ctx, first, urls, round+1, d.documents); err != nil {
				return err
			}
			u, err := d.quietly(ctx, "-D")
			if err != nil {
				return err
			}
			*d.sum = d.sum.add(u)
		}
	}
	if err := many.drop(ctx); err != nil {
		return err
	}
	if err := b.synthRealtime(ctx, s, server, few, most); err != nil {
		return err
	}
	if err := b.searchSynthetic(ctx, &r.search, most, first, s.most); err != nil {
		return err
	}
	// Last: a finding is a bug of pgseek and ends the run.
	if s.check, err = most.index(ctx, "-X1"); err != nil {
		return err
	}
	return errors.Join(few.drop(ctx), most.drop(ctx))
}

// longRun changes 5 % of a few documents repeatedly.
func (b *bench) longRun(ctx context.Context, s *synthetic, first string) (*database, error) {
	d, err := b.openSynthetic(ctx, fmt.Sprintf("synthetic_%d", s.few), first)
	if err != nil {
		return nil, err
	}
	if err := d.load(ctx, first, synthFirstURL, synthFirstURL+s.few, s.few); err != nil {
		return nil, err
	}
	if _, err := d.index(ctx, "-D"); err != nil {
		return nil, err
	}
	step("%s: %d rounds of 5 %% changed documents", d.name, longRounds)
	draw := rand.New(rand.NewPCG(synthSeed, 10))
	for round := range longRounds {
		if err := d.change(ctx, first, someOf(draw, s.few, s.few/20), round+1, s.few); err != nil {
			return nil, err
		}
		u, err := d.quietly(ctx, "-D")
		if err != nil {
			return nil, err
		}
		s.long = s.long.add(u)
		size, words, err := d.indexSize(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case round >= rounds-window && round < rounds:
			s.sizeBegin, s.wordsBegin = s.sizeBegin+size/window, s.wordsBegin+words/window
		case round >= longRounds-window:
			s.sizeEnd, s.wordsEnd = s.sizeEnd+size/window, s.wordsEnd+words/window
		}
	}
	return d, nil
}

// openSynthetic creates a database with the schema and the sites.
func (b *bench) openSynthetic(ctx context.Context, name, first string) (*database, error) {
	d, err := b.openDatabase(ctx, name, nil, "")
	if err != nil {
		return nil, err
	}
	// -T may visit the site of its own.
	d.sets = "Server " + first + "\n"
	if err := d.configure(""); err != nil {
		return nil, err
	}
	if _, err := d.quietly(ctx, "-S"); err != nil {
		return nil, err
	}
	return d, d.loadSites(ctx, first)
}

// someOf draws different documents among the first ones.
func someOf(r *rand.Rand, documents, n int) []int32 {
	seen := map[int32]bool{}
	var urls []int32
	for len(urls) < n {
		if url := synthFirstURL + int32(r.IntN(documents)); !seen[url] {
			seen[url] = true
			urls = append(urls, url)
		}
	}
	return urls
}

func (s *synthetic) printCosts(out io.Writer) {
	if s.most == 0 {
		return
	}
	line(out, fmt.Sprintf("-D of %d synthetic documents", s.many), s.buildMany, int64(s.many))
	line(out, fmt.Sprintf("-D of the first %d", s.most/2), s.buildMost, int64(s.most/2))
	line(out, fmt.Sprintf("-D of %d more, 64 MB", s.most/2), s.buildSmall, int64(s.most/2))
	line(out, fmt.Sprintf("-D of %d changed of %d", fewChanged, s.many), s.changeMany.by(fewRounds), fewChanged)
	line(out, fmt.Sprintf("-D of %d changed of %d", fewChanged, s.most), s.changeMost.by(fewRounds), fewChanged)
	line(out, fmt.Sprintf("-T of %d of %d", s.realtimeURLs, s.few), s.realtimeFew.by(realtimeRounds), s.realtimeURLs)
	line(out, fmt.Sprintf("-T of %d of %d", s.realtimeURLs, s.most), s.realtimeMost.by(realtimeRounds), s.realtimeURLs)
	line(out, "  beside -D", s.realtimeBeside, s.realtimeURLs)
	line(out, fmt.Sprintf("-X1 of %d", s.most), s.check, int64(s.most))
	line(out, fmt.Sprintf("-D of %d changed of %d", s.few/20, s.few), s.long.by(longRounds), int64(s.few/20))
}

func (s *synthetic) printSizes(out io.Writer) {
	if s.most == 0 {
		return
	}
	fmt.Fprintf(out, "            of %d synthetic documents %.1f (%d words), of %d %.1f (%d words)\n",
		s.many, mb(s.sizeMany), s.wordsMany, s.most, mb(s.sizeMost), s.wordsMost)
	fmt.Fprintf(out, "            of %d %.1f after %d rounds (%d words), %.1f after %d (%d words)\n",
		s.few, mb(s.sizeBegin), rounds, s.wordsBegin, mb(s.sizeEnd), longRounds, s.wordsEnd)
}

func (s *synthetic) printBounds(out io.Writer, r *results) {
	if s.most == 0 {
		return
	}
	growth, small := boundGrowth, boundSmall
	if r.set == "small" {
		growth, small = 0, 0
	}
	// Here 0.1 % of the documents cost more than starting the program and its first statements.
	verdict(out, fmt.Sprintf("%d changed among %d / -D of all, CPU", fewChanged, s.many), ratio(s.changeMany.by(fewRounds), s.buildMany), small, "%.4f")
	verdict(out, fmt.Sprintf("%d changed among %d / among %d, CPU", fewChanged, s.most, s.many), ratio(s.changeMost, s.changeMany), growth, "%.2f")
	verdict(out, fmt.Sprintf("index -T among %d / among %d, CPU", s.most, s.few), ratio(s.realtimeMost, s.realtimeFew), boundRealtimeGrowth, "%.2f")
	verdict(out, "index -T beside -D / alone, CPU", ratio(s.realtimeBeside, s.realtimeMost.by(realtimeRounds)), boundBeside, "%.2f")
	verdict(out, fmt.Sprintf("peak memory of -D of %d, MiB", s.most), mib(max(s.buildMost.peak, s.changeMost.peak)),
		mib(r.mergeMemory+boundMemory), "%.0f")
	verdict(out, "the same with MergeMemory 64 MB, MiB", mib(s.buildSmall.peak), mib(smallMemory+boundMemory), "%.0f")
	verdict(out, fmt.Sprintf("peak memory of -X1 of %d, MiB", s.most), mib(s.check.peak), mib(r.mergeMemory+boundMemory), "%.0f")
	verdict(out, fmt.Sprintf("growth from round %d to %d, index / vocabulary", rounds, longRounds),
		per(s.sizeEnd, s.sizeBegin)/max(per(s.wordsEnd, s.wordsBegin), 0.01), boundWithWords, "%.2f")
}
