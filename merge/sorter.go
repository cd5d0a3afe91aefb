package merge

import "slices"

// A sorter puts numbers in ascending order, each once, whatever their number: when it holds limit of them they go, sorted,
// into a temporary file as a run, and the runs are united when all are there.
type sorter struct {
	limit int
	held  []uint64
	file  *spool
	runs  []stretch
}

// stretch is a run in the file.
type stretch struct{ from, to int64 }

// fanIn is how many runs are read at once, each with a buffer of its own.
const fanIn = 64

func newSorter(limit int) *sorter { return &sorter{limit: max(limit, 1)} }

func (s *sorter) close() { s.file.close() }

// add gives the sorter a number. Not after sorted.
func (s *sorter) add(v uint64) error {
	if len(s.held) == s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.held = append(s.held, v)
	return nil
}

// spill makes a run of what is held.
func (s *sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = newSpool(); err != nil {
			return err
		}
	}
	slices.Sort(s.held)
	r := stretch{from: s.file.end()}
	for _, v := range s.held {
		if err := s.file.put64(v); err != nil {
			return err
		}
	}
	r.to = s.file.end()
	s.runs, s.held = append(s.runs, r), s.held[:0]
	return nil
}

// sorted returns an iterator over all numbers. It may be called again, when the one before is not used any more.
func (s *sorter) sorted() (*ascending, error) {
	if s.runs == nil {
		slices.Sort(s.held)
		return &ascending{memory: s.held}, nil
	}
	if len(s.held) > 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	s.held = nil
	for len(s.runs) > fanIn { // their place in the file is not used again
		if err := s.unite(); err != nil {
			return nil, err
		}
	}
	return s.open(s.runs)
}

// unite makes one run of the first ones.
func (s *sorter) unite() error {
	from, err := s.open(s.runs[:fanIn])
	if err != nil {
		return err
	}
	r := stretch{from: s.file.end()}
	for v, ok := from.next(); ok; v, ok = from.next() {
		if err := s.file.put64(v); err != nil {
			return err
		}
	}
	r.to = s.file.end()
	s.runs = append(s.runs[fanIn:], r)
	return from.err
}

func (s *sorter) open(runs []stretch) (*ascending, error) {
	a := &ascending{}
	for _, r := range runs {
		from, err := s.file.read(r.from, r.to)
		if err != nil {
			return nil, err
		}
		if from.more() {
			a.heads = append(a.heads, head{from.next64(), from})
		}
		if from.err != nil {
			return nil, from.err
		}
	}
	for i := len(a.heads)/2 - 1; i >= 0; i-- {
		a.sink(i)
	}
	return a, nil
}

// ascending iterates over numbers.
type ascending struct {
	memory []uint64
	heads  []head // a heap, the lowest number first
	last   uint64
	begun  bool
	err    error
}

// head is the next number of a run.
type head struct {
	v    uint64
	from *spoolReader
}

// next returns the next number, false after the last one and when err says why.
func (a *ascending) next() (uint64, bool) {
	for {
		v, ok := a.any()
		if !ok {
			return 0, false
		}
		if !a.begun || v != a.last {
			a.begun, a.last = true, v
			return v, true
		}
	}
}

// any is next without looking for doubles.
func (a *ascending) any() (v uint64, ok bool) {
	if len(a.memory) > 0 {
		v, a.memory = a.memory[0], a.memory[1:]
		return v, true
	}
	if len(a.heads) == 0 || a.err != nil {
		return 0, false
	}
	v = a.heads[0].v
	from := a.heads[0].from
	switch {
	case from.more():
		a.heads[0].v = from.next64()
	case from.err == nil:
		last := len(a.heads) - 1
		a.heads[0] = a.heads[last]
		a.heads = a.heads[:last]
	}
	if a.err = from.err; a.err != nil {
		return 0, false
	}
	a.sink(0)
	return v, true
}

// sink moves a head down to its place.
func (a *ascending) sink(i int) {
	for {
		low := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(a.heads); child++ {
			if a.heads[child].v < a.heads[low].v {
				low = child
			}
		}
		if low == i {
			return
		}
		a.heads[i], a.heads[low] = a.heads[low], a.heads[i]
		i = low
	}
}
