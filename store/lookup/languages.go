package lookup

import (
	"context"
	"strconv"
	"strings"
)

// languagesSQL reads the languages of a sample of the documents: of some of each content table.
var languagesSQL = func() string {
	const each = 300
	var tables []string
	for n := range 16 {
		tables = append(tables, "(SELECT lang FROM urlwords"+strconv.Itoa(n/10)+strconv.Itoa(n%10)+" WHERE lang <> '' LIMIT "+strconv.Itoa(each)+")")
	}
	return "SELECT /* store.SearchLanguages */ lang, count(*) FROM (" + strings.Join(tables, " UNION ALL ") + ") d GROUP BY lang ORDER BY 2 DESC, 1"
}()

// Languages calls f with the languages of a sample of the documents, the most frequent first, and the number of
// documents in each.
func (s *Store) Languages(ctx context.Context, f func(code string, documents int64)) error {
	return s.Search(ctx, func(x *Tx) error {
		var code string
		var n int64
		x.ask(languagesSQL, nil, each([]any{&code, &n}, func() error { f(code, n); return nil }))
		return x.SendLast(ctx)
	})
}
