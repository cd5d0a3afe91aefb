package lookup

import (
	"context"

	"github.com/jackc/pgx/v5"
)

const (
	suggestedQueriesSQL = `
	SELECT /* store.Suggestions */ query FROM suggestions ORDER BY searches DESC, query LIMIT $1`
	// Documents as searches show them, without lost ones: live originals with status 200. A page with noindex has status 406.
	suggestedTitlesSQL = `
	SELECT /* store.Suggestions */ left(c.title, 400), w.url
	FROM urlword w JOIN urlwords c ON c.url_id = w.url_id LEFT JOIN urlrank r ON r.url_id = w.url_id
	WHERE w.deleted = 0 AND w.status = 200 AND w.origin = 0 AND c.title <> ''
	ORDER BY r.rank DESC NULLS LAST, w.hops, length(w.url), w.url_id
	LIMIT $1`
	suggestedWordsSQL = `
	SELECT /* store.Suggestions */ word
	FROM wordurl
	WHERE urlcount >= 2 AND char_length(word) BETWEEN 3 AND 32 AND word !~ '[0-9]'
	ORDER BY urlcount DESC, word
	LIMIT $1`
)

// Suggestions reads what may be suggested, the best first: searches, titles of documents with their addresses, and words.
// Of each it reads most rows at most; 0 = none.
func (s *Store) Suggestions(ctx context.Context, queries, titles, words int, query func(string), title func(text, url string), word func(string)) error {
	return s.Search(ctx, func(x *Tx) error {
		var text, url string
		x.ask(`SET LOCAL enable_seqscan = on`, nil, func(rows pgx.Rows) error { rows.Close(); return rows.Err() })
		if queries > 0 {
			x.ask(suggestedQueriesSQL, []any{queries}, each([]any{&text}, func() error { query(text); return nil }))
		}
		if titles > 0 {
			x.ask(suggestedTitlesSQL, []any{titles}, each([]any{&text, &url}, func() error { title(text, url); return nil }))
		}
		if words > 0 {
			x.ask(suggestedWordsSQL, []any{words}, each([]any{&text}, func() error { word(text); return nil }))
		}
		return x.SendLast(ctx)
	})
}
