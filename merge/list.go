package merge

// list is a sequence that is only appended to, and read from its beginning or by number. It grows by chunks,
// so that its values are never copied and never held twice.
type list[T any] struct {
	chunks [][]T
	last   []T
}

const chunkSize = 1 << 15

// add appends a value.
func (l *list[T]) add(v T) {
	if len(l.last) == cap(l.last) {
		l.last = make([]T, 0, chunkSize)
		l.chunks = append(l.chunks, l.last)
	}
	l.last = append(l.last, v)
	l.chunks[len(l.chunks)-1] = l.last
}

// at returns the value with a number; the caller may change it.
func (l *list[T]) at(n int32) *T { return &l.chunks[n/chunkSize][n%chunkSize] }

// len returns the number of values.
func (l *list[T]) len() int {
	if len(l.chunks) == 0 {
		return 0
	}
	return (len(l.chunks)-1)*chunkSize + len(l.last)
}

// cursor reads a list.
type cursor[T any] struct {
	chunks [][]T
	at     int
}

func (l *list[T]) read() cursor[T] { return cursor[T]{chunks: l.chunks} }

// next returns the next value; the caller may change it, and knows the number of values.
func (c *cursor[T]) next() *T {
	if c.at == len(c.chunks[0]) {
		c.chunks, c.at = c.chunks[1:], 0
	}
	c.at++
	return &c.chunks[0][c.at-1]
}

// skip skips the next n values.
func (c *cursor[T]) skip(n int) {
	c.at += n
	for len(c.chunks) > 1 && c.at > len(c.chunks[0]) {
		c.at -= len(c.chunks[0])
		c.chunks = c.chunks[1:]
	}
}
