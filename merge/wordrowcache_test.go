package merge

import (
	"fmt"
	"maps"
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// heldTo compares the rows kept after a batch with the table: each row, and, where all are marked as known,
// that none is missing.
func (w *world) heldTo(k *wordRowCache) (rows int) {
	w.Helper()
	table := map[string]index.WordRow{}
	for _, row := range w.rows(`SELECT word, word_id, urls, urlcount, totalcount FROM wordurl`) {
		table[row[0].(string)] = index.WordRow{
			ID: store.WordID(row[1].(int32)), URLs: row[2].([]byte), URLCount: row[3].(int32), TotalCount: row[4].(int32),
		}
	}
	for word, want := range table {
		n, ok := k.number.find([]byte(word))
		if !ok || k.rows.at(n).ID == 0 {
			if k.all {
				w.Errorf("all words are said to be known, and %s is not", word)
			}
			continue
		}
		rows++
		if got := k.rows.at(n); got.ID != want.ID || string(got.URLs) != string(want.URLs) || got.URLCount != want.URLCount || got.TotalCount != want.TotalCount {
			w.Errorf("%s is known as %v, and is %v", word, *got, want)
		}
	}
	for n, text := range k.number.words() {
		if _, ok := table[text]; !ok && k.rows.at(int32(n)).ID != 0 {
			w.Errorf("%s is known, and has no row", text)
		}
	}
	return rows
}

// eachBatch merges all entries in batches of ten, calling f before each batch but the first.
func (w *world) eachBatch(s *index.Store, k *wordRowCache, lim *limits, f func(batch int)) {
	w.Helper()
	plan, err := s.PlanMerge(w.Context(), 1<<30, 10)
	if err != nil || len(plan.Ranges) < 4 {
		w.Fatalf("%d batches: %v", len(plan.Ranges), err)
	}
	for i, r := range plan.Ranges {
		if i > 0 {
			f(i)
		}
		if _, err := mergeRange(w.Context(), s, r, k, i == len(plan.Ranges)-1, lim); err != nil {
			w.Fatal(err)
		}
	}
	w.taken()
}

// first stores a first version of every document. One word is in some of them often, another one seldom.
func (w *world) first() {
	w.versions(func(i int, _ map[string][]uint16) map[string][]uint16 {
		words := w.randomWords()
		if i%5 == 0 {
			words["shrinks"], words["grows"] = ordinals(14), ordinals(1)
		}
		return words
	})
}

// change stores a version of every document that loses no word, but in which those two words change places,
// in wordurl and wordfile.
func (w *world) change() {
	w.versions(func(i int, words map[string][]uint16) map[string][]uint16 {
		words = maps.Clone(words)
		if i%5 == 0 {
			words["shrinks"], words["grows"] = ordinals(1), ordinals(14)
		}
		for text, positions := range w.randomWords() {
			words[text] = positions
		}
		return words
	})
}

func ordinals(n int) (list []uint16) {
	for i := range n {
		list = append(list, uint16(400+i))
	}
	return list
}

// versions stores a version of every document, ten a schedule, from the words that it had.
func (w *world) versions(words func(i int, last map[string][]uint16) map[string][]uint16) {
	for i, u := range w.urls {
		if i%10 == 0 {
			w.acknowledge(true)
			w.schedule++
			w.open[w.schedule] = true
		}
		w.draw()
		w.version(u, w.schedule, words(i, w.last[u]))
	}
	w.acknowledge(true)
}

// The rows that a merge keeps for the next batch equal the rows in the table.
func TestRowsThatAreKnownAreThoseOfTheTable(t *testing.T) {
	for _, c := range []struct {
		name string
		room int64
		lim  limits
		all  bool // words are known in a first build
	}{
		{"all", defaultMemory / knownShare, standard, true},
		{"all, tight", defaultMemory / knownShare, tight, true},
		{"some", 6000, tight, false},
		{"next to none", 200, tight, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t), 3, 60)
			s := w.store(w.dsn)
			defer s.Close()
			w.first()
			k, rows := newWordRowCache(c.room), 0
			w.eachBatch(s, k, &c.lim, func(int) {
				rows += w.heldTo(k)
				if k.all != c.all {
					t.Errorf("all words known: %v", k.all)
				}
				if k.room < 0 {
					t.Errorf("%d bytes of room", k.room)
				}
			})
			if rows == 0 {
				t.Error("nothing was known")
			}
			w.check(c.lim)
			w.change()
			k, rows = newWordRowCache(c.room), 0
			w.eachBatch(s, k, &c.lim, func(int) { rows += w.heldTo(k) })
			if rows == 0 {
				t.Error("nothing was known of words that there were")
			}
			w.check(c.lim)
			if got := w.rows(`SELECT word FROM wordurl WHERE word IN ('shrinks', 'grows') AND urls <> ''`); c.lim == tight && (len(got) != 1 || got[0][0] != "shrinks") {
				t.Errorf("%v have their postings inline", got)
			}
			for range 80 {
				w.act()
			}
			w.acknowledge(true)
			k = newWordRowCache(c.room)
			w.eachBatch(s, k, &c.lim, func(int) { w.heldTo(k) })
			w.check(c.lim)
			room := k.room
			if k.forget(); k.room < room || k.room != newWordRowCache(c.room).room {
				t.Errorf("room for %d bytes when all is forgotten, of %d", k.room, newWordRowCache(c.room).room)
			}
		})
	}
}

// index -T inserts words between two batches, or another program merges: the next batch is correct
// nevertheless.
func TestRowsThatAreKnownNoMore(t *testing.T) {
	makeWords := func(w *world, _ *index.Store, _ int) {
		w.exec(`INSERT INTO wordurl (word, word_id) SELECT 'rare' || i, nextval('wordurl_word_id_seq') FROM generate_series(0, 119) i
			WHERE NOT EXISTS (SELECT FROM wordurl WHERE word = 'rare' || i)`)
	}
	for name, between := range map[string]func(w *world, s *index.Store, batch int){
		"words were made": makeWords,
		"words were made in a partition": func(w *world, s *index.Store, batch int) {
			// From PostgreSQL 17 on a table with an identity column cannot become a partition. Its sequence goes with the identity.
			w.exec(`DO $$
				DECLARE next bigint := nextval('wordurl_word_id_seq');
				BEGIN
					ALTER TABLE wordurl ALTER word_id DROP IDENTITY;
					EXECUTE format('CREATE SEQUENCE wordurl_word_id_seq AS integer START %s', next);
				END $$`)
			w.exec(`ALTER TABLE wordurl RENAME TO wordurl_part; CREATE TABLE wordurl (LIKE wordurl_part INCLUDING DEFAULTS) PARTITION BY HASH (word);
				ALTER TABLE wordurl ATTACH PARTITION wordurl_part FOR VALUES WITH (MODULUS 1, REMAINDER 0)`)
			makeWords(w, s, batch)
		},
		"the batch begins again": func(w *world, _ *index.Store, _ int) { // numbers of a sequence are not undone
			w.exec(`CREATE SEQUENCE attempts;
				CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
				BEGIN
					IF nextval('attempts') = 1 THEN
						RAISE EXCEPTION 'once' USING ERRCODE = 'serialization_failure';
					END IF;
					RETURN NULL;
				END $$;
				CREATE TRIGGER fail_once AFTER UPDATE ON totals FOR EACH STATEMENT EXECUTE FUNCTION fail_once()`)
		},
		"another merge": func(w *world, s *index.Store, batch int) {
			w.draw()
			w.version(w.urls[batch], 0, w.randomWords())
			plan, err := s.PlanMerge(w.Context(), 1<<30, 1)
			if err != nil {
				w.Fatal(err)
			}
			if _, err := mergeRange(w.Context(), s, plan.Ranges[0], nil, true, &tight); err != nil {
				w.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.New(t), 4, 60)
			s := w.store(w.dsn)
			defer s.Close()
			w.first()
			k := newWordRowCache(defaultMemory / knownShare)
			w.eachBatch(s, k, &tight, func(batch int) {
				w.heldTo(k)
				if batch == 2 {
					between(w, s, batch)
				}
				if k.all != (batch <= 2) {
					t.Errorf("batch %d: all words known: %v", batch, k.all)
				}
			})
			w.check(tight)
			w.checkTotals()
		})
	}
}

// The rows kept by a batch that is rolled back are not used.
func TestRowsOfAnUndoneBatchAreForgotten(t *testing.T) {
	k := newWordRowCache(1 << 17)
	k.begin(7, false)
	for i := range 3 {
		n, row := k.find(fmt.Sprint("word", i))
		if row.ID != 0 {
			t.Fatalf("row %v", row)
		}
		k.set(n, index.WordRow{ID: store.WordID(i + 1), URLs: []byte("postings")})
	}
	k.all = true
	k.begin(7, false) // again, without end
	if _, row := k.find("word1"); row.ID != 0 || k.all {
		t.Errorf("%v is known of a batch that was undone; all: %v", row, k.all)
	}
	n, _ := k.find("word1")
	k.set(n, index.WordRow{ID: 9})
	k.end(8)
	k.begin(8, false)
	if _, row := k.find("word1"); row.ID != 9 {
		t.Errorf("%v is known of the batch before", row)
	}
	k.end(9)
	k.begin(10, false)
	if _, row := k.find("word1"); row.ID != 0 {
		t.Errorf("%v is known of another state", row)
	}
}
