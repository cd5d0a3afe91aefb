package realtime

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// Indexed holds the words of a document version with their ids, ready for the real-time index.
type Indexed struct {
	Packed    []byte         // as in the journal
	texts     []string       // ascending
	ids       []store.WordID // of each
	ends      []int32        // of each one's positions
	positions []uint16
}

// of returns the positions of the i-th word.
func (x *Indexed) of(i int) []uint16 {
	begin := int32(0)
	if i > 0 {
		begin = x.ends[i-1]
	}
	return x.positions[begin:x.ends[i]]
}

// lockNewWordsSQL takes NewWordsLock shared while words are created. A batch that has met words created by
// index -T takes it exclusively for its second attempt, so that a stream of new words cannot keep it from
// finishing.
const lockNewWordsSQL = `SELECT /* store.IndexWords */ pg_advisory_xact_lock_shared($1, $2)`

// newWordsSQL inserts words in ascending order, so that two writers never deadlock.
const newWordsSQL = `
	INSERT /* store.IndexWords */ INTO wordurl (word, word_id)
	SELECT word, word_id FROM unnest($1::text[], $2::integer[]) AS i (word, word_id)
	ON CONFLICT DO NOTHING
	RETURNING word, word_id`

// IndexWords returns the words of documents, packed for the journal, with their ids; an element that is nil
// stays nil. New words get rows in wordurl, without postings, in a transaction of their own, so that no
// document transaction waits for words that a merge is adding. The caller of IndexWords waits when the words
// are the same.
func (s *Store) IndexWords(ctx context.Context, packed ...[]byte) ([]*Indexed, error) {
	list := make([]*Indexed, len(packed))
	found := make(map[string]store.WordID) // 0 = looked up, not found
	for i, p := range packed {
		if p == nil {
			continue
		}
		x, err := readIndexed(p)
		if err != nil {
			return nil, fmt.Errorf("index words: %w", err)
		}
		for k, text := range x.texts {
			if id, ok := s.words.Get(text); ok {
				x.ids[k] = id
			} else {
				found[text] = 0
			}
		}
		list[i] = x
	}
	if len(found) == 0 {
		return list, nil
	}
	if err := s.identify(ctx, found); err != nil {
		return nil, err
	}
	for text, id := range found {
		if id == 0 {
			return nil, fmt.Errorf("index words: %q has no row after its insertion", text)
		}
		s.words.Add(text, id)
	}
	for _, x := range list {
		if x == nil {
			continue
		}
		for k, text := range x.texts {
			if x.ids[k] == 0 {
				x.ids[k] = found[text]
			}
		}
	}
	return list, nil
}

// readIndexed decodes a document's words.
func readIndexed(packed []byte) (*Indexed, error) {
	x := &Indexed{Packed: packed}
	r, err := posting.NewWordsReader(packed)
	if err != nil {
		return nil, err
	}
	x.texts, x.ids, x.ends = make([]string, r.Len()), make([]store.WordID, r.Len()), make([]int32, r.Len())
	for i := 0; r.Next(); i++ {
		x.texts[i] = string(r.Word())
		x.positions = append(x.positions, r.Positions()...)
		x.ends[i] = int32(len(x.positions))
	}
	return x, r.Err()
}

// identify finds the ids of words, and creates rows for new ones.
func (s *Store) identify(ctx context.Context, found map[string]store.WordID) error {
	asked := slices.Sorted(maps.Keys(found))
	if err := s.findWords(ctx, asked, found); err != nil {
		return err
	}
	fresh := unfound(asked, found)
	if len(fresh) == 0 {
		return nil
	}
	if err := s.makeWords(ctx, fresh, found); err != nil {
		return err
	}
	if lost := unfound(fresh, found); len(lost) > 0 { // another writer created them first
		return s.findWords(ctx, lost, found)
	}
	return nil
}

// unfound returns the words without an id.
func unfound(words []string, found map[string]store.WordID) (list []string) {
	for _, w := range words {
		if found[w] == 0 {
			list = append(list, w)
		}
	}
	return list
}

// findWords reads the ids of words.
func (s *Store) findWords(ctx context.Context, words []string, found map[string]store.WordID) error {
	return s.Retry(ctx, "find words", func() error {
		rows, err := s.Pool.Query(ctx, store.WordIDsSQL, words)
		if err != nil {
			return err
		}
		return collectWords(rows, found)
	})
}

// makeWords creates rows of words that have none.
func (s *Store) makeWords(ctx context.Context, words []string, found map[string]store.WordID) error {
	ids, err := s.DrawWordIDs(ctx, len(words))
	if err != nil {
		return err
	}
	return s.OnConn(ctx, "make words", func(conn *pgxpool.Conn) error {
		for _, w := range words { // an attempt that was not committed created nothing
			found[w] = 0
		}
		var b pgx.Batch
		b.Queue("BEGIN")
		b.Queue(lockNewWordsSQL, int32(store.LockClass), store.NewWordsLock)
		b.Queue(newWordsSQL, words, ids).Query(func(rows pgx.Rows) error { return collectWords(rows, found) })
		b.Queue("COMMIT")
		return conn.SendBatch(ctx, &b).Close()
	})
}

func collectWords(rows pgx.Rows, found map[string]store.WordID) error {
	var word string
	var id store.WordID
	_, err := pgx.ForEachRow(rows, []any{&word, &id}, func() error {
		found[word] = id
		return nil
	})
	return err
}
