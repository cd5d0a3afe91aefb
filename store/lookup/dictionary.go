package lookup

import "github.com/jackc/pgx/v5"

const wordsFromSQL = `
	SELECT /* store.SearchDictionary */ word, urlcount
	FROM unnest($1::text[], $2::text[]) AS p (lo, hi) CROSS JOIN LATERAL (
		SELECT word, urlcount
		FROM wordurl                                                             -- wordurl_word_key
		WHERE word >= p.lo AND word < p.hi AND char_length(word) BETWEEN $3 AND $4
		ORDER BY word
		LIMIT $5) w`

// Dictionary asks for words that begin with any of the prefixes and have from shortest to longest characters:
// the first limit of each prefix in byte order, with the number of their documents in the main index. They
// serve as corrections, or as other forms of a word. It may return a word twice, and words without documents.
func (x *Tx) Dictionary(prefixes []string, shortest, longest, limit int, f func(word string, urls int64)) {
	from, to := make([]string, len(prefixes)), make([]string, len(prefixes))
	for i, p := range prefixes {
		from[i], to[i] = p, after(p)
	}
	var word string
	var urls int64
	x.ask(wordsFromSQL, []any{from, to, shortest, longest, limit}, func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&word, &urls}, func() error { f(word, urls); return nil })
		return err
	})
}
