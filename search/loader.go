package search

import (
	"context"
	"errors"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// ahead is the maximum number of rows that are fetched together in a sequential read, 256 KiB each.
const ahead = 8

var errRowsGone = errors.New("rows of wordfile disappeared during a query")

// A loader fetches rows of wordfile while a query is evaluated, from the cache where it can. After an error
// it returns no more rows, so all readers end; the caller of the evaluation checks err.
type loader struct {
	ctx   context.Context
	look  *lookup.Tx
	cache *blobCache
	err   error
}

func (l *loader) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// prefetchMost is the size of the rows that are fetched together before a query is evaluated, in bytes.
const prefetchMost = 16 << 20

// prefetch fetches the first rows of many words in one round trip into the cache, as many as prefetchMost allows.
func (l *loader) prefetch(words []*stored) {
	var rows []lookup.SearchRow
	bytes := 0
	for _, w := range words {
		for _, segment := range w.segments {
			r := segment[0]
			if r.Blob != nil {
				continue
			}
			if _, ok := l.cache.get(rowKey(r.Key)); ok {
				continue
			}
			if bytes += r.Bytes; bytes > prefetchMost {
				break
			}
			rows = append(rows, r)
		}
	}
	if len(rows) > 1 && l.err == nil {
		if err := l.fetch(rows); err != nil {
			l.fail(err)
		}
	}
}

// blob returns the postings of the first of the rows. If they are not in memory, want rows are fetched
// together.
func (l *loader) blob(rows []lookup.SearchRow, want int) ([]byte, bool) {
	if l.err != nil {
		return nil, false
	}
	if rows[0].Blob != nil {
		return rows[0].Blob, true
	}
	if b, ok := l.cache.get(rowKey(rows[0].Key)); ok {
		rows[0].Blob = b
		return b, true
	}
	n := 1
	for n < min(len(rows), want) && rows[n].Blob == nil {
		n++
	}
	if err := l.fetch(rows[:n]); err != nil {
		l.fail(err)
		return nil, false
	}
	return rows[0].Blob, true
}

// fetch reads rows from the database.
func (l *loader) fetch(rows []lookup.SearchRow) error {
	wanted := make([]lookup.RowKey, len(rows))
	for i := range rows {
		wanted[i] = rows[i].Key
	}
	i := 0
	l.look.Blobs(wanted, func(b []byte) {
		if i < len(rows) {
			rows[i].Blob = b
			l.cache.put(rowKey(rows[i].Key), b, len(b))
		}
		i++
	})
	if err := l.look.Send(l.ctx); err != nil {
		return err
	}
	if i != len(rows) {
		return &store.Damaged{Table: "wordfile", Err: errRowsGone}
	}
	return nil
}
