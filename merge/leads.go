package merge

import (
	"slices"

	"github.com/pgseek/pgseek/store"
)

// leads are the URLs that stand for others: redirects for the end of their chain, clones for their original. They are kept
// in a file, ascending, and looked up in a window: an array over a range of ids, as long as memory allows. Where one
// window does not hold all ids, whoever looks up brings many ids at once and goes with them through all windows.
type leads struct {
	width int   // of a window, in ids
	ids   int64 // below this all ids are
	file  *spool
	to    []uint32 // the window: where an id leads to, 0 = it stands for itself
	from  int64    // the first id of the window
}

const (
	maxRedirects = 10              // of a chain that is followed
	isClone      = uint32(1) << 31 // of a lead that is the last step
)

func newLeads(width int, last store.URLID) (*leads, error) {
	file, err := newSpool()
	if err != nil {
		return nil, err
	}
	return &leads{width: width, ids: int64(last) + 1, file: file}, nil
}

// add notes where an id leads to. Ids ascend.
func (l *leads) add(from, to uint32) error {
	if err := l.file.put(from); err != nil {
		return err
	}
	return l.file.put(to)
}

// windows calls f with each window in turn: the range [lo, hi) of ids.
func (l *leads) windows(f func(lo, hi int64)) error {
	single := l.ids <= int64(l.width)
	if single && l.to != nil { // it stands
		f(0, l.ids)
		return nil
	}
	if l.to == nil {
		l.to = make([]uint32, min(int64(l.width), l.ids))
	}
	rest, err := l.file.all()
	if err != nil {
		return err
	}
	var id, to uint32
	held := false
	for lo := int64(0); lo < l.ids; lo += int64(l.width) {
		hi := min(lo+int64(l.width), l.ids)
		clear(l.to)
		l.from = lo
		for held || rest.more() {
			if !held {
				id, to, held = rest.next(), rest.next(), true
			}
			if int64(id) >= hi {
				break
			}
			l.to[int64(id)-lo], held = to, false
		}
		if rest.err != nil {
			return rest.err
		}
		f(lo, hi)
	}
	return nil
}

// at is where an id of the window leads to.
func (l *leads) at(id uint32) uint32 { return l.to[int64(id)-l.from] }

// resolve returns leads to the ends of the chains: of what redirects in at most ten steps, and what is a clone or redirects
// to one. A chain that is longer, or closes on itself, leads nowhere: its URLs stand for themselves. hold is how many leads
// are followed at once.
func (l *leads) resolve(hold int) (*leads, error) {
	ends, err := newLeads(l.width, store.URLID(l.ids-1))
	if err != nil {
		return nil, err
	}
	rest, err := l.file.all()
	if err != nil {
		return nil, err
	}
	var walks []walk
	for rest.more() {
		walks = walks[:0]
		for len(walks) < hold && rest.more() {
			w := walk{from: rest.next()}
			w.step(rest.next())
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
	return ends, rest.err
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
func (l *leads) follow(walks []walk) error {
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
