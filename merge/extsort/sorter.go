package extsort

import "slices"

// A Sorter sorts numbers and removes duplicates, in bounded memory. When it holds limit numbers it writes
// them, sorted, into a temporary file as a run; the runs are merged when all numbers are there.
type Sorter struct {
	limit   int
	Pending []uint64 // held, not sorted
	file    *TempFile
	Runs    []fileRange
}

// fileRange is the place of a run in the file.
type fileRange struct{ from, to int64 }

// fanIn is the number of runs that are read at once, each with a buffer of its own.
const fanIn = 64

// New returns a sorter that holds at most limit numbers in memory.
func New(limit int) *Sorter { return &Sorter{limit: max(limit, 1)} }

// Close releases the temporary file.
func (s *Sorter) Close() { s.file.Close() }

// Add adds a number. It must not be called after Sorted.
func (s *Sorter) Add(v uint64) error {
	if len(s.Pending) == s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.Pending = append(s.Pending, v)
	return nil
}

// spill writes the held numbers as a run.
func (s *Sorter) spill() (err error) {
	if s.file == nil {
		if s.file, err = NewTempFile(); err != nil {
			return err
		}
	}
	slices.Sort(s.Pending)
	r := fileRange{from: s.file.end()}
	for _, v := range s.Pending {
		if err := s.file.put64(v); err != nil {
			return err
		}
	}
	r.to = s.file.end()
	s.Runs, s.Pending = append(s.Runs, r), s.Pending[:0]
	return nil
}

// Sorted returns an iterator over all numbers. It may be called again when the previous iterator is no longer
// used.
func (s *Sorter) Sorted() (*Iterator, error) {
	if s.Runs == nil {
		slices.Sort(s.Pending)
		return &Iterator{memory: s.Pending}, nil
	}
	if len(s.Pending) > 0 {
		if err := s.spill(); err != nil {
			return nil, err
		}
	}
	s.Pending = nil
	for len(s.Runs) > fanIn { // their space in the file is not reused
		if err := s.mergeRuns(); err != nil {
			return nil, err
		}
	}
	return s.open(s.Runs)
}

// mergeRuns merges the first fanIn runs into one.
func (s *Sorter) mergeRuns() error {
	from, err := s.open(s.Runs[:fanIn])
	if err != nil {
		return err
	}
	r := fileRange{from: s.file.end()}
	for v, ok := from.Next(); ok; v, ok = from.Next() {
		if err := s.file.put64(v); err != nil {
			return err
		}
	}
	r.to = s.file.end()
	s.Runs = append(s.Runs[fanIn:], r)
	return from.Err
}

func (s *Sorter) open(runs []fileRange) (*Iterator, error) {
	a := &Iterator{}
	for _, r := range runs {
		from, err := s.file.read(r.from, r.to)
		if err != nil {
			return nil, err
		}
		if from.More() {
			a.heads = append(a.heads, head{from.next64(), from})
		}
		if from.Err != nil {
			return nil, from.Err
		}
	}
	for i := len(a.heads)/2 - 1; i >= 0; i-- {
		a.sink(i)
	}
	return a, nil
}

// Iterator returns numbers in ascending order, each once.
type Iterator struct {
	memory []uint64
	heads  []head // a heap, the lowest number first
	last   uint64
	begun  bool
	Err    error
}

// head is the next number of a run.
type head struct {
	v    uint64
	from *TempFileReader
}

// Next returns the next number. It returns false after the last one and after an error, which is in Err.
func (a *Iterator) Next() (uint64, bool) {
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

// any returns the next number, duplicates included.
func (a *Iterator) any() (v uint64, ok bool) {
	if len(a.memory) > 0 {
		v, a.memory = a.memory[0], a.memory[1:]
		return v, true
	}
	if len(a.heads) == 0 || a.Err != nil {
		return 0, false
	}
	v = a.heads[0].v
	from := a.heads[0].from
	switch {
	case from.More():
		a.heads[0].v = from.next64()
	case from.Err == nil:
		last := len(a.heads) - 1
		a.heads[0] = a.heads[last]
		a.heads = a.heads[:last]
	}
	if a.Err = from.Err; a.Err != nil {
		return 0, false
	}
	a.sink(0)
	return v, true
}

// sink moves a head down to its place in the heap.
func (a *Iterator) sink(i int) {
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
