package merge

import (
	"slices"

	"github.com/pgseek/pgseek/merge/extsort"
	"github.com/pgseek/pgseek/store"
)

// redirectMap maps redirects to the ends of their chains, and clones to their originals. The pairs are in a
// file, ascending, and are looked up in a window: an array over a range of ids, as long as memory allows.
// Where one window does not hold all ids, the caller collects many look-ups and does them window by window.
type redirectMap struct {
	width int   // of a window, in ids
	ids   int64 // all ids are below this
	file  *extsort.TempFile
	to    []uint32 // the window: the target of an id, 0 = none
	from  int64    // the first id of the window
}

const (
	maxRedirects = 10              // longest chain that is followed
	isClone      = uint32(1) << 31 // flag of a target: this step is the last
)

func newRedirectMap(width int, last store.URLID) (*redirectMap, error) {
	file, err := extsort.NewTempFile()
	if err != nil {
		return nil, err
	}
	return &redirectMap{width: width, ids: int64(last) + 1, file: file}, nil
}

// add adds a pair. Ids ascend.
func (l *redirectMap) add(from, to uint32) error {
	if err := l.file.Put(from); err != nil {
		return err
	}
	return l.file.Put(to)
}

// windows calls f with each window in turn: the range [lo, hi) of ids.
func (l *redirectMap) windows(f func(lo, hi int64)) error {
	single := l.ids <= int64(l.width)
	if single && l.to != nil { // the window is loaded
		f(0, l.ids)
		return nil
	}
	if l.to == nil {
		l.to = make([]uint32, min(int64(l.width), l.ids))
	}
	rest, err := l.file.All()
	if err != nil {
		return err
	}
	var id, to uint32
	held := false
	for lo := int64(0); lo < l.ids; lo += int64(l.width) {
		hi := min(lo+int64(l.width), l.ids)
		clear(l.to)
		l.from = lo
		for held || rest.More() {
			if !held {
				id, to, held = rest.Next(), rest.Next(), true
			}
			if int64(id) >= hi {
				break
			}
			l.to[int64(id)-lo], held = to, false
		}
		if rest.Err != nil {
			return rest.Err
		}
		f(lo, hi)
	}
	return nil
}

// at returns the target of an id of the window.
func (l *redirectMap) at(id uint32) uint32 { return l.to[int64(id)-l.from] }

// resolve returns a map to the ends of the chains: of redirects with at most ten steps, of clones, and of
// redirects to clones. A chain that is longer or circular has no end: its URLs are not in the result. hold is
// the number of chains that are followed at once.
func (l *redirectMap) resolve(hold int) (*redirectMap, error) {
	ends, err := newRedirectMap(l.width, store.URLID(l.ids-1))
	if err != nil {
		return nil, err
	}
	rest, err := l.file.All()
	if err != nil {
		return nil, err
	}
	var chains []chain
	for rest.More() {
		chains = chains[:0]
		for len(chains) < hold && rest.More() {
			w := chain{from: rest.Next()}
			w.step(rest.Next())
			chains = append(chains, w)
		}
		if err := l.follow(chains); err != nil {
			return nil, err
		}
		for i := range chains {
			if w := &chains[i]; w.ended && w.steps <= maxRedirects {
				if err := ends.add(w.from, w.at); err != nil {
					return nil, err
				}
			}
		}
	}
	return ends, rest.Err
}

// chain is a redirect that is followed, step by step.
type chain struct {
	from, at uint32
	steps    int8 // redirects passed
	ended    bool
}

// step follows one step of the chain.
func (w *chain) step(to uint32) {
	switch {
	case to == 0:
		w.ended = true
	case to&isClone != 0:
		w.at, w.ended = to&^isClone, true
	default:
		w.at = to
		w.steps++
		w.ended = w.steps > maxRedirects
	}
}

// follow follows each chain to its end.
func (l *redirectMap) follow(chains []chain) error {
	under := func(w chain) bool { return !w.ended }
	for slices.ContainsFunc(chains, under) {
		err := l.windows(func(lo, hi int64) {
			for i := range chains {
				for w := &chains[i]; !w.ended && int64(w.at) >= lo && int64(w.at) < hi; {
					w.step(l.at(w.at))
				}
			}
		})
		if err != nil {
			return err
		}
		for i := range chains {
			if int64(chains[i].at) >= l.ids { // no such URL, so the chain ends here
				chains[i].ended = true
			}
		}
	}
	return nil
}
