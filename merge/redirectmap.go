package merge

import (
	"slices"

	"github.com/pgseek/pgseek/merge/extsort"
	"github.com/pgseek/pgseek/store"
)

// redirectMap are the URLs that stand for others: redirects for the end of their chain, clones for their original. They are kept
// in a file, ascending, and looked up in a window: an array over a range of ids, as long as memory allows. Where one
// window does not hold all ids, whoever looks up brings many ids at once and goes with them through all windows.
type redirectMap struct {
	width int   // of a window, in ids
	ids   int64 // below this all ids are
	file  *extsort.TempFile
	to    []uint32 // the window: where an id leads to, 0 = it stands for itself
	from  int64    // the first id of the window
}

const (
	maxRedirects = 10              // of a chain that is followed
	isClone      = uint32(1) << 31 // of a lead that is the last step
)

func newLeads(width int, last store.URLID) (*redirectMap, error) {
	file, err := extsort.NewTempFile()
	if err != nil {
		return nil, err
	}
	return &redirectMap{width: width, ids: int64(last) + 1, file: file}, nil
}

// Add notes where an id leads to. Ids ascend.
func (l *redirectMap) add(from, to uint32) error {
	if err := l.file.Put(from); err != nil {
		return err
	}
	return l.file.Put(to)
}

// windows calls f with each window in turn: the range [lo, hi) of ids.
func (l *redirectMap) windows(f func(lo, hi int64)) error {
	single := l.ids <= int64(l.width)
	if single && l.to != nil { // it stands
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

// at is where an id of the window leads to.
func (l *redirectMap) at(id uint32) uint32 { return l.to[int64(id)-l.from] }

// resolve returns leads to the ends of the chains: of what redirects in at most ten steps, and what is a clone or redirects
// to one. A chain that is longer, or closes on itself, leads nowhere: its URLs stand for themselves. hold is how many leads
// are followed at once.
func (l *redirectMap) resolve(hold int) (*redirectMap, error) {
	ends, err := newLeads(l.width, store.URLID(l.ids-1))
	if err != nil {
		return nil, err
	}
	rest, err := l.file.All()
	if err != nil {
		return nil, err
	}
	var walks []walk
	for rest.More() {
		walks = walks[:0]
		for len(walks) < hold && rest.More() {
			w := walk{from: rest.Next()}
			w.step(rest.Next())
			walks = append(walks, w)
		}
		if err := l.follow(walks); err != nil {
			return nil, err
		}
		for i := range walks {
			if w := &walks[i]; w.over && w.steps <= maxRedirects {
				if err := ends.add(w.from, w.at); err != nil {
					return nil, err
				}
			}
		}
	}
	return ends, rest.Err
}

// walk is a chain that is followed.
type walk struct {
	from, at uint32
	steps    int8 // redirects passed
	over     bool
}

// step goes where the place leads to.
func (w *walk) step(to uint32) {
	switch {
	case to == 0:
		w.over = true
	case to&isClone != 0:
		w.at, w.over = to&^isClone, true
	default:
		w.at = to
		w.steps++
		w.over = w.steps > maxRedirects
	}
}

// follow goes each walk to its end.
func (l *redirectMap) follow(walks []walk) error {
	under := func(w walk) bool { return !w.over }
	for slices.ContainsFunc(walks, under) {
		err := l.windows(func(lo, hi int64) {
			for i := range walks {
				for w := &walks[i]; !w.over && int64(w.at) >= lo && int64(w.at) < hi; {
					w.step(l.at(w.at))
				}
			}
		})
		if err != nil {
			return err
		}
		for i := range walks {
			if int64(walks[i].at) >= l.ids { // no such URL, so it leads nowhere
				walks[i].over = true
			}
		}
	}
	return nil
}
