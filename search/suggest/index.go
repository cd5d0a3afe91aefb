package suggest

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// A Text is what is suggested: a query, a word or a title, which has an address.
type Text struct{ Text, URL string }

// An Index finds texts by the beginnings of their words.
type Index struct {
	folded, texts, urls string
	entries             []entry
	keys                []key
	least               []uint32 // minimum of keys.entry in each block
}

// entry holds the ends of a text's parts; each begins where that of the previous entry ends. A text without bytes is as
// folded.
type entry struct{ folded, text, url uint32 }

// key is a place in folded at which a word of an entry begins. Entries with lower numbers are better.
type key struct{ at, entry uint32 }

const blockSize = 64

// Bytes of an entry and of a key, with their part of the minima.
const (
	entryBytes = 12
	keyBytes   = 9
)

// A Builder collects texts.
type Builder struct {
	most, used          int
	folded, texts, urls strings.Builder
	entries             []entry
	keys                []key
	known               map[uint64]struct{} // hashes of folded texts
	seed                maphash.Seed
}

// NewBuilder returns a builder of an index of at most so many bytes.
func NewBuilder(most int) *Builder {
	return &Builder{most: most, known: map[uint64]struct{}{}, seed: maphash.MakeSeed()}
}

// Add adds a text, the best first. It returns false when there is no room for it. A text that is empty or there already
// is left out.
func (b *Builder) Add(t Text) bool {
	t.Text = Clean(t.Text)
	folded := strings.TrimSuffix(Fold(t.Text), " ")
	hash := maphash.String(b.seed, folded)
	if _, ok := b.known[hash]; ok || folded == "" {
		return true
	}
	at := starts(folded)
	shown := t.Text
	if shown == folded {
		shown = ""
	}
	size := len(folded) + len(shown) + len(t.URL) + entryBytes + len(at)*keyBytes
	if b.used+size > b.most {
		return false
	}
	b.used += size
	b.known[hash] = struct{}{}
	n, begin := uint32(len(b.entries)), b.folded.Len()
	for _, i := range at {
		b.keys = append(b.keys, key{uint32(begin + i), n})
	}
	b.folded.WriteString(folded)
	b.texts.WriteString(shown)
	b.urls.WriteString(t.URL)
	b.entries = append(b.entries, entry{uint32(b.folded.Len()), uint32(b.texts.Len()), uint32(b.urls.Len())})
	return true
}

// Index returns the index. The builder must not be used any more.
func (b *Builder) Index() *Index {
	x := &Index{
		folded: strings.Clone(b.folded.String()), texts: strings.Clone(b.texts.String()), urls: strings.Clone(b.urls.String()),
		entries: slices.Clip(b.entries), keys: slices.Clip(b.keys),
	}
	slices.SortFunc(x.keys, func(a, b key) int {
		return cmp.Or(strings.Compare(x.rest(a), x.rest(b)), cmp.Compare(a.entry, b.entry))
	})
	x.least = make([]uint32, (len(x.keys)+blockSize-1)/blockSize)
	for i, k := range x.keys {
		if i%blockSize == 0 || k.entry < x.least[i/blockSize] {
			x.least[i/blockSize] = k.entry
		}
	}
	return x
}

// Len returns the number of texts.
func (x *Index) Len() int { return len(x.entries) }

// rest returns the text of a key's entry from the key on.
func (x *Index) rest(k key) string { return x.folded[k.at:x.entries[k.entry].folded] }

// text returns an entry.
func (x *Index) text(n uint32) Text {
	var from entry
	if n > 0 {
		from = x.entries[n-1]
	}
	e := x.entries[n]
	t := Text{x.texts[from.text:e.text], x.urls[from.url:e.url]}
	if t.Text == "" {
		t.Text = x.folded[from.folded:e.folded]
	}
	return t
}

// Find returns the best texts with a word that begins with a folded prefix, at most most of them: those that begin with it
// first.
func (x *Index) Find(prefix string, most int) (found []Text) {
	if prefix == "" || most <= 0 {
		return nil
	}
	lo, _ := slices.BinarySearchFunc(x.keys, prefix, func(k key, prefix string) int { return strings.Compare(x.rest(k), prefix) })
	n, _ := slices.BinarySearchFunc(x.keys[lo:], prefix, func(k key, prefix string) int {
		if strings.HasPrefix(x.rest(k), prefix) {
			return -1
		}
		return 1
	})
	best := x.best(lo, lo+n, 3*most)
	begins := func(k key) bool {
		return k.entry == 0 && k.at == 0 || k.entry > 0 && k.at == x.entries[k.entry-1].folded
	}
	for _, first := range []bool{true, false} {
		for _, k := range best {
			if begins(k) == first && len(found) < most {
				found = append(found, x.text(k.entry))
			}
		}
	}
	return found
}

// best returns the keys from lo to hi of the best entries, the best first, each entry once.
func (x *Index) best(lo, hi, most int) (best []key) {
	add := func(k key) {
		if len(best) == most && k.entry >= best[most-1].entry {
			return
		}
		i, known := slices.BinarySearchFunc(best, k, func(a, b key) int { return cmp.Compare(a.entry, b.entry) })
		switch {
		case known && k.at < best[i].at:
			best[i] = k
		case known:
		case len(best) < most:
			best = slices.Insert(best, i, k)
		default:
			copy(best[i+1:], best[i:most-1])
			best[i] = k
		}
	}
	for i := lo; i < hi; {
		if i%blockSize == 0 && i+blockSize <= hi && len(best) == most && x.least[i/blockSize] > best[most-1].entry {
			i += blockSize
			continue
		}
		add(x.keys[i])
		i++
	}
	return best
}
