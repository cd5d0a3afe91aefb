package realtime

import (
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// The real-time index: wordurl1 has the words of the documents in rt_urls, each word as one blob. Its writers
// hold RealtimeLock (store/lock.go), the last lock in the order. Common words are in every document, so
// writers would wait for each other's rows anyway, and with one lock they cannot deadlock.

const lockRealtimeSQL = `SELECT /* store.Realtime */ pg_advisory_xact_lock($1, $2)`

const anyRealtimeSQL = `
	SELECT /* store.Realtime */ EXISTS (SELECT 1 FROM rt_urls WHERE url_id = ANY($1))`

const dropRealtimeSQL = `
	DELETE /* store.Realtime */ FROM rt_urls r
	USING unnest($1::integer[], $2::bigint[]) AS i (url_id, seq)
	WHERE r.url_id = i.url_id AND r.seq <= i.seq
	RETURNING r.url_id, r.words`

const realtimeRowsSQL = `
	SELECT /* store.Realtime */ word_id, urls
	FROM wordurl1                                                                -- wordurl1_word_id_key
	WHERE word_id = ANY($1)`

const updateRealtimeSQL = `
	UPDATE /* store.Realtime */ wordurl1 w
	SET urls = i.urls, urlcount = i.urlcount, totalcount = i.totalcount
	FROM unnest($1::integer[], $2::bytea[], $3::integer[], $4::integer[]) AS i (word_id, urls, urlcount, totalcount)
	WHERE w.word_id = i.word_id`

const deleteRealtimeSQL = `
	DELETE /* store.Realtime */ FROM wordurl1 WHERE word_id = ANY($1)`

// realtimeRows holds the rows of wordurl1 that change.
type realtimeRows struct {
	ids           []store.WordID // of the rows that stay
	blobs         [][]byte
	counts, total []int32
	empty         []store.WordID // of the rows to delete
	it            posting.Iterator
	build         posting.Builder
}

// without removes the postings of documents from a word's row.
func (r *realtimeRows) without(id store.WordID, blob []byte, gone map[store.URLID]bool) error {
	found := false
	r.build.Reset()
	r.it.Reset(blob)
	for r.it.Next() {
		if gone[store.URLID(r.it.URL())] {
			found = true
		} else {
			r.build.AddRaw(r.it.Site(), r.it.URL(), r.it.Raw())
		}
	}
	if err := r.it.Err(); err != nil {
		return &store.Damaged{Table: "wordurl1", Err: fmt.Errorf("wordurl1.urls of word %d: %w", id, err)}
	}
	if found {
		r.put(id)
	}
	return nil
}

// put adds the built postings as a word's row.
func (r *realtimeRows) put(id store.WordID) {
	if r.build.Len() == 0 {
		r.empty = append(r.empty, id)
		return
	}
	t := r.build.Totals()
	r.ids, r.blobs = append(r.ids, id), append(r.blobs, r.build.AppendTo(make([]byte, 0, r.build.Len())))
	r.counts, r.total = append(r.counts, int32(t.URLs)), append(r.total, posting.TotalCount(int64(t.Total)))
}

// wordsOfDocument appends the ids of the words in a row of rt_urls.
func wordsOfDocument(dst []store.WordID, url store.URLID, packed []byte) ([]store.WordID, error) {
	words, err := posting.NewDocWordsReader(packed)
	if err == nil {
		dst = slices.Grow(dst, words.Len())
		for words.Next() {
			dst = append(dst, store.WordID(words.Word().ID))
		}
		err = words.Err()
	}
	if err != nil {
		return nil, &store.Damaged{Table: "rt_urls", Err: fmt.Errorf("rt_urls.words of url %d: %w", url, err)}
	}
	return dst, nil
}

// ascending sorts a list and drops duplicates.
func ascending(words []store.WordID) []store.WordID {
	slices.Sort(words)
	return slices.Compact(words)
}
