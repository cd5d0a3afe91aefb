package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// TestWordIDs: few words of a large dictionary are looked up, many are found by reading it whole. Both return
// the row of each word, and nothing for missing words.
func TestWordIDs(t *testing.T) {
	dsn := storetest.New(t)
	s, pool := openStore(t, dsn), storetest.Connect(t, dsn)
	const words = 60_000 // more than are found in one statement
	if _, err := pool.Exec(t.Context(), `
		INSERT INTO wordurl (word, word_id, urls, urlcount, totalcount)
		SELECT 'word' || i, i, decode(repeat(to_hex(i % 200 + 16), i % 5), 'hex'), i % 7, i % 11 FROM generate_series(2, $1 * 2, 2) i`, words); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 40, 100, 12_000, words * 2, -100} {
		if n < 0 { // where the table itself has no pages, all are looked up
			n = -n
			if _, err := pool.Exec(t.Context(), `
				DO $$ -- from PostgreSQL 17 on a table with an identity column cannot become a partition; its sequence goes with the identity
				DECLARE next bigint := nextval('wordurl_word_id_seq');
				BEGIN
					ALTER TABLE wordurl ALTER word_id DROP IDENTITY;
					EXECUTE format('CREATE SEQUENCE wordurl_word_id_seq AS integer START %s', next);
				END $$;
				ALTER TABLE wordurl RENAME TO wordurl_part; CREATE TABLE wordurl (LIKE wordurl_part) PARTITION BY HASH (word);
				ALTER TABLE wordurl ATTACH PARTITION wordurl_part FOR VALUES WITH (MODULUS 1, REMAINDER 0)`); err != nil {
				t.Fatal(err)
			}
		}
		var asked []string
		for i := range n {
			asked = append(asked, fmt.Sprintf("word%d", i*(words*2/n)+1+i%2))
		}
		slices.Sort(asked)
		found := map[string]index.WordRow{}
		err := index.New(s).MergeBatch(t.Context(), index.MergeRange{}, store.AnyChanges, func(b *index.MergeBatch) error {
			found = map[string]index.WordRow{}
			_, err := b.WordIDs(t.Context(), asked, func(i int, row index.WordRow) {
				if _, twice := found[asked[i]]; twice {
					t.Errorf("%d words: %s comes twice", n, asked[i])
				}
				row.URLs = slices.Clone(row.URLs)
				found[asked[i]] = row
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range asked {
			var id int32
			if _, err := fmt.Sscanf(word, "word%d", &id); err != nil {
				t.Fatal(err)
			}
			row, ok := found[word]
			want := index.WordRow{ID: store.WordID(id), URLs: nil, URLCount: id % 7, TotalCount: id % 11}
			switch {
			case ok != (id%2 == 0):
				t.Fatalf("%d words: %s found: %v", n, word, ok)
			case ok && (row.ID != want.ID || row.URLCount != want.URLCount || row.TotalCount != want.TotalCount || len(row.URLs) != int(id%5)):
				t.Fatalf("%d words: %s: %+v, want %+v and %d bytes", n, word, row, want, id%5)
			case ok && len(row.URLs) > 0 && row.URLs[0] != byte(id%200+16):
				t.Fatalf("%d words: %s: %x", n, word, row.URLs)
			}
		}
	}
}
