package spider

import (
	"encoding/binary"
	"net/url"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/endless"
)

// pageText is the text of a page as its answer is compared with that for an address which cannot exist: the hashes of the
// words of its title and its body, in their order. It is stored, so the hashes are the same in every process.
type pageText struct {
	words []uint32 // nil for a page with too many; else with these bits and 0 for what never counts
	links int
}

// Words of pageText. A word that varies is one that is no word, or that looks generated. A word that may vary, such as an
// hour or the name of a month, varies when it stands beside another one.
const (
	varies    = uint32(0)
	mayVary   = uint32(1) << 31
	wordBits  = mayVary - 1
	addressed = uint32(1) // a stretch of words that vary or are part of an address
)

// Bounds of texts. A page with more words is no error message. One with fewer ordinary words is compared by its body only.
const (
	maxTextWords = 4000
	minTextWords = 5
)

// A position has its section above sectionShift, and the ordinal in ordinalMask.
const (
	sectionShift = 14
	ordinalMask  = 1<<sectionShift - 1
)

// textOf returns the text of a document.
func textOf(doc *document.Document) (t pageText) {
	t.links = len(doc.Links)
	if doc.TotalCount > maxTextWords || len(doc.Words) == 0 {
		return t
	}
	const body, title = 0, 3
	var last [4]int
	for i := range doc.Words {
		for _, at := range doc.Words[i].Positions {
			last[at>>sectionShift] = max(last[at>>sectionShift], int(at&ordinalMask)+1)
		}
	}
	if last[title]+last[body] > maxTextWords {
		return t
	}
	t.words = make([]uint32, last[title]+last[body])
	for i := range doc.Words {
		h := textWord(doc.Words[i].Text)
		for _, at := range doc.Words[i].Positions {
			switch ordinal := int(at & ordinalMask); at >> sectionShift {
			case title:
				t.words[ordinal] = h
			case body:
				t.words[last[title]+ordinal] = h
			}
		}
	}
	return t
}

// textWord returns a word of a text.
func textWord(word string) uint32 {
	switch {
	case endless.IsDateWord(word), endless.IsNumber(word) && endless.IsDatePart(word):
		return wordHash(word) | mayVary
	case endless.LooksGenerated(word), endless.IsNumber(word) && (len(word) >= 6 || word[0] == '0'): // a digest, a time in seconds, a fraction
		return varies
	}
	return wordHash(word)
}

// wordHash hashes a word (FNV-1a) to 31 bits. It is neither varies nor addressed.
func wordHash(word string) uint32 {
	h := uint32(2166136261)
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return max(h&wordBits, addressed+1)
}

// addressSet has the hashes of the words of addresses. mask tells most other words apart.
type addressSet struct {
	mask  uint64
	words []uint32
}

func (s *addressSet) has(h uint32) bool { return s.mask>>(h&63)&1 != 0 && slices.Contains(s.words, h) }

// addressWords returns the words of the paths and queries of URLs, as they are written and decoded.
func addressWords(urls ...string) *addressSet {
	set := &addressSet{}
	add := func(text string) {
		document.Tokens(text, func(word string, _, _ int) bool {
			h := wordHash(word)
			set.mask |= 1 << (h & 63)
			set.words = append(set.words, h)
			return true
		})
	}
	for _, u := range urls {
		path := u[endless.PathStart(u):]
		add(path)
		if plain, err := url.PathUnescape(strings.ReplaceAll(path, "+", " ")); err == nil && plain != path {
			add(plain)
		}
	}
	return set
}

// without returns the words of a text in which each stretch of words that vary, or are part of an address, is one, and the
// number of the others. Many pages for addresses that do not exist show the address, a time, or a number of the request.
func (t pageText) without(address *addressSet) (words []uint32, ordinary int) {
	words = make([]uint32, 0, len(t.words))
	for i := 0; i < len(t.words); {
		end, alone := i, true
		for ; end < len(t.words); end++ {
			h := t.words[end]
			if h != varies && h&mayVary == 0 && !address.has(h) {
				break
			}
			alone = alone && h != varies && !address.has(h&wordBits)
		}
		switch {
		case end == i:
			end++
			fallthrough
		case alone && end == i+1: // a single number, a single "may"
			words = append(words, t.words[i])
			ordinary++
		default:
			words = append(words, addressed)
		}
		i = end
	}
	return words, ordinary
}

// key returns a hash of the text without the words of the page's own address; ok is false for a text with too few words.
func (t pageText) key(page string) (key uint64, ok bool) {
	words, ordinary := t.without(addressWords(page))
	key = 14695981039346656037
	for _, w := range words {
		key = (key ^ uint64(w)) * 1099511628211
		key ^= key >> 29
	}
	return key, ordinary >= minTextWords
}

// equals reports whether two texts say the same, each about its own address. The numbers of links may differ slightly: some
// depend on the folder.
func (t pageText) equals(page string, other pageText, otherPage string) bool {
	if t.words == nil || other.words == nil || max(t.links-other.links, other.links-t.links) > 2+other.links/10 {
		return false
	}
	address := addressWords(page, otherPage)
	a, ordinary := t.without(address)
	b, _ := other.without(address)
	if len(a) != len(b) || ordinary < minTextWords {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// pack returns the words as they are stored.
func (t pageText) pack() []byte {
	packed := make([]byte, 0, 4*len(t.words))
	for _, h := range t.words {
		packed = binary.BigEndian.AppendUint32(packed, h)
	}
	return packed
}

// unpackText is the inverse of pack.
func unpackText(packed []byte, links int) (t pageText) {
	t.links = links
	for ; len(packed) >= 4; packed = packed[4:] {
		t.words = append(t.words, binary.BigEndian.Uint32(packed))
	}
	return t
}
