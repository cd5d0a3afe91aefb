package merge

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/pgseek/pgseek/merge/extsort"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// graph is the input of the ranks: the documents with their ranks, and the edges between URLs.
type graph struct {
	width int // number of ids whose sums are held at once
	hold  int // number of links that are held at once while they are resolved

	ids       int64               // all ids are below this
	ranks     *extsort.TempFile   // id and rank of every document, by ascending id
	files     []*extsort.TempFile // edges, see put
	redirects *redirectMap

	documents, links, edges int64

	pages []page   // read and not yet written
	flat  []uint32 // their links, one after another
	sums  []float64
}

// page is a document whose links are held; end is the end of its links in flat.
type page struct {
	id  uint32
	end int
}

// maxFiles bounds the number of edge files, because each has a buffer of its own. With more ranges of ids
// than files, a file has the edges to several ranges and is read for each of them.
const maxFiles = 64

func (g *graph) close() {
	if g == nil {
		return
	}
	g.ranks.Close()
	for _, f := range g.files {
		f.Close()
	}
	if g.redirects != nil { // reading failed
		g.redirects.file.Close()
	}
}

// ranges returns the number of ranges of ids, each as wide as memory allows.
func (g *graph) ranges() int { return int((g.ids + int64(g.width) - 1) / int64(g.width)) }

// fileOf returns the index of the file with the edges to a range.
func (g *graph) fileOf(r int) int { return r * len(g.files) / g.ranges() }

// read reads documents, redirects, clones and links from a snapshot.
func (g *graph) read(ctx context.Context, r *index.LinkReader) (err error) {
	last, err := r.LastURL(ctx)
	if err != nil {
		return err
	}
	g.ids = int64(last) + 1
	if g.ranks, err = extsort.NewTempFile(); err != nil {
		return err
	}
	for range min(g.ranges(), maxFiles) {
		f, err := extsort.NewTempFile()
		if err != nil {
			return err
		}
		g.files = append(g.files, f)
	}
	if err := g.readRedirects(ctx, r, last); err != nil {
		return err
	}
	err = r.DocumentLinks(ctx, func(id store.URLID, links []store.URLID) error {
		g.documents++
		g.links += int64(len(links))
		if err := g.ranks.Put(uint32(id)); err != nil {
			return err
		}
		if err := g.ranks.Put(math.Float32bits(1)); err != nil {
			return err
		}
		if len(links) == 0 {
			return nil
		}
		for _, t := range links {
			if t > 0 { // else damaged
				g.flat = append(g.flat, uint32(t))
			}
		}
		g.pages = append(g.pages, page{uint32(id), len(g.flat)})
		if len(g.flat)+4*len(g.pages) < g.hold {
			return nil
		}
		return g.resolve()
	})
	if err == nil {
		err = g.resolve()
	}
	g.redirects.file.Close()
	g.pages, g.flat, g.redirects = nil, nil, nil
	return err
}

// readRedirects reads redirects and clones, and resolves their chains.
func (g *graph) readRedirects(ctx context.Context, r *index.LinkReader, last store.URLID) (err error) {
	steps, err := newRedirectMap(g.width, last)
	if err != nil {
		return err
	}
	defer steps.file.Close()
	err = r.Redirects(ctx, func(from, to store.URLID, clone bool) error {
		switch {
		case to <= 0: // damaged
			return nil
		case clone:
			return steps.add(uint32(from), uint32(to)|isClone)
		}
		return steps.add(uint32(from), uint32(to))
	})
	if err != nil {
		return err
	}
	g.redirects, err = steps.resolve(max(g.hold/4, 1))
	return err
}

// resolve replaces the links of the held pages by the ends of their chains and writes them.
func (g *graph) resolve() error {
	err := g.redirects.windows(func(lo, hi int64) {
		for i, t := range g.flat {
			if t&resolved == 0 && int64(t) >= lo && int64(t) < hi {
				if to := g.redirects.at(t); to != 0 {
					g.flat[i] = to | resolved // the end is not looked up again
				}
			}
		}
	})
	if err != nil {
		return err
	}
	begin := 0
	for _, p := range g.pages {
		targets := g.flat[begin:p.end]
		begin = p.end
		for i := range targets {
			targets[i] &^= resolved
		}
		slices.Sort(targets)
		targets = slices.Compact(targets)
		if i, own := slices.BinarySearch(targets, p.id); own {
			targets = slices.Delete(targets, i, i+1)
		}
		if err := g.put(p.id, targets); err != nil {
			return err
		}
	}
	g.pages, g.flat = g.pages[:0], g.flat[:0]
	return nil
}

// resolved marks a link that is the end of a chain already. Ids need 31 bits.
const resolved = uint32(1) << 31

// put writes a document's edges. The file of each range that they lead to gets the id, the number of all its
// edges, the number of those that follow here, and these targets, ascending.
func (g *graph) put(source uint32, targets []uint32) error {
	g.edges += int64(len(targets))
	out := uint32(len(targets))
	for len(targets) > 0 && int64(targets[0]) < g.ids {
		file, n := g.fileOf(int(targets[0])/g.width), 1
		for n < len(targets) && int64(targets[n]) < g.ids && g.fileOf(int(targets[n])/g.width) == file {
			n++
		}
		f := g.files[file]
		for _, v := range [...]uint32{source, out, uint32(n)} {
			if err := f.Put(v); err != nil {
				return err
			}
		}
		for _, t := range targets[:n] {
			if err := f.Put(t); err != nil {
				return err
			}
		}
		targets = targets[n:]
	}
	return nil
}

var errSource = errors.New("ranks: an edge starts at a URL that is not a document")

// round computes all ranks from those of the previous round.
func (g *graph) round() error {
	next, err := extsort.NewTempFile()
	if err != nil {
		return err
	}
	defer func() { next.Close() }() // closes the old ranks
	documents, err := g.ranks.All()
	if err != nil {
		return err
	}
	var id uint32 // of documents, the next one
	held := false
	for r := range g.ranges() {
		lo := int64(r) * int64(g.width)
		hi := min(lo+int64(g.width), g.ids)
		if err := g.sum(r, lo, hi); err != nil {
			return err
		}
		for held || documents.More() {
			if !held {
				id, held = documents.Next(), true
				documents.Next() // its old rank
			}
			if int64(id) >= hi {
				break
			}
			// The conversion prevents the compiler from rounding once instead of twice, which some processors
			// do.
			rank := rankBase + float64(rankShare*g.sums[int64(id)-lo])
			if err := next.Put(id); err != nil {
				return err
			}
			if err := next.Put(math.Float32bits(float32(rank))); err != nil {
				return err
			}
			held = false
		}
	}
	if documents.Err != nil {
		return documents.Err
	}
	g.ranks, next = next, g.ranks
	return nil
}

// sum adds up the contributions to the ids of a range [lo, hi).
func (g *graph) sum(r int, lo, hi int64) error {
	if g.sums == nil {
		g.sums = make([]float64, min(int64(g.width), g.ids))
	}
	clear(g.sums)
	ranks, err := g.ranks.All()
	if err != nil {
		return err
	}
	edges, err := g.files[g.fileOf(r)].All()
	if err != nil {
		return err
	}
	id, rank := uint32(0), 0.0
	for edges.More() {
		source, out, n := edges.Next(), edges.Next(), edges.Next()
		for id != source && ranks.More() {
			id, rank = ranks.Next(), float64(math.Float32frombits(ranks.Next()))
		}
		if id != source {
			return errors.Join(errSource, ranks.Err)
		}
		part := rank / float64(out)
		for ; n > 0; n-- {
			if t := int64(edges.Next()); t >= lo && t < hi {
				g.sums[t-lo] += part
			}
		}
	}
	return errors.Join(edges.Err, ranks.Err)
}
