package merge

import (
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/store/storetest"
)

// sections of a position.
const description, title = 1 << 14, 3 << 14

// text returns a version with so many words, w0 at ordinal 0 of the body, w1 at 1 and so on.
func text(words int) map[string][]uint16 {
	v := map[string][]uint16{}
	for i := range words {
		v[fmt.Sprintf("w%d", i)] = []uint16{uint16(i)}
	}
	return v
}

// numbered returns the words of text from one number to another.
func numbered(from, to int) (list []string) {
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprintf("w%d", i))
	}
	return list
}

// positions returns n consecutive positions.
func positions(from, n int) (list []uint16) {
	for i := range n {
		list = append(list, uint16(from+i))
	}
	return list
}

// sparse returns positions each of which has a block of its own.
func sparse() (list []uint16) {
	for p := 0; p < 1<<16; p += 64 {
		list = append(list, uint16(p))
	}
	return list
}

// A merge adds postings of the words of blocks that have changed, and of no other words: each word of the one document here is a
// large one, so that each posting written is a row of wordfile.
func TestAMergeLeavesPostingsThatAreAsTheyWere(t *testing.T) {
	lim := limits{inline: 1, row: 1 << 20, hold: 1 << 20, keep: 1 << 20, minBudget: 1}
	for _, c := range []struct {
		name    string
		was     map[string][]uint16
		spoil   string
		edit    func(map[string][]uint16)
		touched []string
	}{
		{"nothing", text(300), ``, func(map[string][]uint16) {}, nil},
		{
			"a word becomes another", text(300), ``,
			func(v map[string][]uint16) { delete(v, "w130"); v["new"] = []uint16{130} },
			append(numbered(128, 192), "new"),
		},
		{
			"words come in between", text(300), ``,
			func(v map[string][]uint16) {
				for i := range 300 {
					if i >= 130 {
						v[fmt.Sprintf("w%d", i)][0] += 3
					}
				}
				v["new"] = []uint16{130, 131, 132}
			},
			append(numbered(128, 300), "new"),
		},
		{
			"words at the end", text(300), ``,
			func(v map[string][]uint16) { v["new"] = []uint16{300, 301, 320} },
			append(numbered(256, 300), "new"),
		},
		{
			"two words change places", text(300), ``,
			func(v map[string][]uint16) { v["w3"], v["w4"] = v["w4"], v["w3"] },
			numbered(0, 64),
		},
		{
			"the title",
			map[string][]uint16{"a": {1}, "b": {2, title}, "c": {3, description}},
			``,
			func(v map[string][]uint16) { v["b"] = []uint16{2, title + 1} },
			[]string{"b"},
		},
		{
			"a word that stood once more",
			map[string][]uint16{"a": {1}, "twice": {2, 200}, "b": {201}},
			``,
			func(v map[string][]uint16) { v["twice"] = []uint16{2} },
			[]string{"twice", "b"},
		},
		{
			"a word that stands once more",
			map[string][]uint16{"a": {1}, "once": {2}, "b": {201}},
			``,
			func(v map[string][]uint16) { v["once"] = []uint16{2, 200} },
			[]string{"once", "b"},
		},
		{
			"a word that stands as often, elsewhere",
			map[string][]uint16{"a": {1}, "twice": {2, 200}},
			``,
			func(v map[string][]uint16) { v["twice"] = []uint16{2, 300} },
			[]string{"twice"},
		},
		{
			"words that share the last ordinal",
			map[string][]uint16{"a": {1, 16383}, "b": {16383}, "c": {16383}, "d": {2, 16320}, "e": {16319}},
			``,
			func(v map[string][]uint16) { delete(v, "c") },
			[]string{"a", "b", "c", "d"},
		},
		{
			"one more that shares it",
			map[string][]uint16{"a": {1, 16383}, "b": {16383}, "e": {16319}},
			``,
			func(v map[string][]uint16) { v["e"] = []uint16{16319, 16383} },
			[]string{"a", "b", "e"},
		},
		{
			"beside a word with all positions that it may have",
			map[string][]uint16{"the": positions(0, 16383), "a": {title}},
			``,
			func(v map[string][]uint16) { v["a"] = []uint16{title + 1} },
			[]string{"a"},
		},
		{
			"a word with all positions that it may have has others",
			map[string][]uint16{"the": positions(0, 16383), "a": {title}},
			``,
			func(v map[string][]uint16) { v["the"] = append(positions(0, 16382), title+7) },
			[]string{"a", "the"},
		},
		{
			"a row of docwords without fingerprints", text(70),
			`UPDATE docwords SET words = set_byte(substr(words, 1, octet_length(words) - 1 - 2 * 9), 0, 1)`,
			func(map[string][]uint16) {}, numbered(0, 70),
		},
		{
			"positions so far from each other that fingerprints would need too much memory",
			map[string][]uint16{"sparse": sparse()},
			``,
			func(map[string][]uint16) {},
			[]string{"sparse"},
		},
		{
			"a row of docwords without words", text(70), `UPDATE docwords SET words = '\x0100'; UPDATE wordurl SET urlcount = 0, totalcount = 0; TRUNCATE wordfile`,
			func(map[string][]uint16) {}, numbered(0, 70),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, storetest.New(t), 1, 1)
			o := Options{limits: &lim}
			w.draw()
			w.version(w.urls[0], 0, c.was)
			w.merge(o)
			w.exec(c.spoil)
			before := w.rows(`SELECT last_value FROM wordfile_seq`)[0][0]
			is := map[string][]uint16{}
			for word, positions := range c.was {
				is[word] = slices.Clone(positions)
			}
			c.edit(is)
			w.draw()
			w.version(w.urls[0], 0, is)
			w.merge(o)
			w.check(lim)
			var touched []string // all postings of a word that went are gone
			for _, row := range w.rows(`SELECT word FROM wordurl w WHERE EXISTS (SELECT FROM wordfile f WHERE f.word_id = w.word_id AND seq > $1)
				OR NOT EXISTS (SELECT FROM wordfile f WHERE f.word_id = w.word_id)`, before) {
				touched = append(touched, row[0].(string))
			}
			slices.Sort(touched)
			slices.Sort(c.touched)
			if d := gocmp.Diff(c.touched, touched); d != "" {
				t.Errorf("words written (-want +got):\n%s", d)
			}
		})
	}
}
