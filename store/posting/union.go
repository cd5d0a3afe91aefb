package posting

// Union reads several sources as one. When several have the same posting, that of the newest source counts.
type Union struct {
	src      []Source // newest first
	keys     []uint64 // current place of each source, done at its end
	removals bool
	cur      int // the source that has the current posting
	key      uint64
	err      error
}

const done = ^uint64(0)

// NewUnion returns the union of sources, the newest first. Without removals it skips documents that lost the
// word, which is right when all sources of the word are given. With removals it yields them, because older
// sources may exist.
func NewUnion(removals bool, newestFirst ...Source) *Union {
	u := &Union{src: newestFirst, keys: make([]uint64, len(newestFirst)), removals: removals}
	return u // all keys are 0, which is the key of no posting: the first Next moves every source
}

// Next goes to the next posting. It returns false at the end and at the first error of a source.
func (u *Union) Next() bool {
	for u.err == nil {
		least := done
		for i, k := range u.keys {
			if k == u.key {
				if k = u.advance(i); u.err != nil {
					return false
				}
			}
			if k < least {
				least, u.cur = k, i
			}
		}
		if least == done {
			u.key = done - 1 // no source moves any more
			return false
		}
		u.key = least
		if u.removals || u.src[u.cur].Count() > 0 {
			return true
		}
	}
	return false
}

// advance moves source i to its next posting and returns its place.
func (u *Union) advance(i int) uint64 {
	s := u.src[i]
	if s.Next() {
		u.keys[i] = uint64(s.Site())<<32 | uint64(s.URL())
	} else {
		u.keys[i] = done
		u.err = s.Err()
	}
	return u.keys[i]
}

// Site returns the site of the posting.
func (u *Union) Site() int32 { return u.src[u.cur].Site() }

// URL returns the document of the posting.
func (u *Union) URL() int32 { return u.src[u.cur].URL() }

// Count returns the number of positions, 0 for a removal.
func (u *Union) Count() int { return u.src[u.cur].Count() }

// Raw returns the positions as stored in the blob.
func (u *Union) Raw() []byte { return u.src[u.cur].Raw() }

// Positions appends all positions to dst.
func (u *Union) Positions(dst []uint16) []uint16 { return appendPositions(dst, u.Raw()) }

// Err returns the first error of a source.
func (u *Union) Err() error { return u.err }
