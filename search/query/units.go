package query

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
)

// A unit is a part of a query without blanks: a word, several words (wi-fi), a pattern, or a mixture
// (pg_stat_act*). Its words follow each other in documents, too, so it is a sequence like that of a phrase.
type unit struct {
	seq     Sequence
	leftOut bool // at least one of its words is not indexed
	name    bool // it was written like a name in code
}

// nameInCode is a name that programs and configurations have, such as dynamic_library_path and os.path: its words are joined by _ or
// a dot. Those of e.g. and U.S. are single letters.
var nameInCode = regexp.MustCompile(`^[0-9A-Za-z]{2,}([_.]+[0-9A-Za-z]{2,})+$`)

// A piece is a word of a unit or a run of wildcards.
type piece struct {
	text       string // a word as documents have it, or wildcards
	start, end int
	wild       bool
}

// pieces cuts the unit that begins at l.at, and returns its end.
//
// In an address (a unit with ://) * and ? are not wildcards: people paste http://host/?id=5. A ? at the end is
// the end of a question, and one before a word is punctuation, too.
func (l *lexer) pieces() (all []piece, end int) {
	all, end = l.allPieces()
	for n := len(all); n > 1 && strings.Trim(all[n-1].text, "?") == "" && all[n-1].wild; n-- {
		all = all[:n-1]
	}
	for i := len(all) - 2; i > 0; i-- { // types?--that
		if all[i].wild && strings.Trim(all[i].text, "?") == "" && all[i].end < all[i+1].start && all[i-1].end == all[i].start {
			all = slices.Delete(all, i, i+1)
		}
	}
	for len(all) > 1 && strings.Trim(all[0].text, "?") == "" && all[0].wild && !all[1].wild && all[0].end == all[1].start {
		all = all[1:]
	}
	return all, end
}

// allPieces returns the pieces with a ? at the end.
func (l *lexer) allPieces() (all []piece, end int) {
	k, at, address := l.next, l.at, false
	for {
		switch {
		case k < len(l.tokens) && l.tokens[k].start == at:
			// Words that were cut from one run of characters overlap, or have the same place.
			for end = at; k < len(l.tokens) && (l.tokens[k].start == at || l.tokens[k].start < end); k++ {
				t := l.tokens[k]
				all = append(all, piece{text: t.word, start: t.start, end: t.end})
				end = max(end, t.end)
			}
		case !address && isWildcard(l.text, at):
			end = at + len(l.text[at:]) - len(strings.TrimLeft(l.text[at:], wildcards))
			all = append(all, piece{text: wild(l.text[at:end]), start: at, end: end, wild: true})
		default:
			// Joiners belong to the unit if it continues behind them.
			to := at
			for to < len(l.text) {
				r, size := utf8.DecodeRuneInString(l.text[to:])
				if !joins(r) && !(address && isWildcard(l.text, to)) {
					break
				}
				to += size
				address = address || strings.HasSuffix(l.text[at:to], "://")
			}
			if to == at || !l.wordBegins(k, to) && (address || !isWildcard(l.text, to)) {
				return all, end
			}
			end = to
		}
		at = end
	}
}

// unit makes a sequence of pieces.
func (l *lexer) unit(pieces []piece) (unit, error) {
	b := unitBuilder{lexer: l}
	for i := 0; i < len(pieces); {
		j := i + 1
		for j < len(pieces) && pieces[j-1].end == pieces[j].start && pieces[j-1].wild != pieces[j].wild {
			j++
		}
		var err error
		switch {
		case j > i+1:
			err = b.pattern(pieces[i:j])
		case pieces[i].wild: // a separate * or ? is any word
			b.pending++
		default:
			err = b.word(pieces[i])
		}
		if err != nil {
			return unit{}, err
		}
		i = j
	}
	b.seq.Tail = b.pending
	b.name = !b.leftOut && nameInCode.MatchString(l.text[pieces[0].start:pieces[len(pieces)-1].end])
	return b.unit, nil
}

// A unitBuilder appends steps. pending is the number of free places before the next step.
type unitBuilder struct {
	unit
	*lexer
	pending int
}

func (b *unitBuilder) add(item Item, p piece) error {
	if err := b.count(p.start, b.text[p.start:p.end]); err != nil {
		return err
	}
	b.seq.Steps = append(b.seq.Steps, PhraseStep{Skip: b.pending, Item: item})
	b.pending = 0
	return nil
}

// word appends a word, or the place of one that is not indexed. A pair of characters that begins with a mark
// belongs to the previous pair, which has the letter of the mark.
func (b *unitBuilder) word(p piece) error {
	first, _ := utf8.DecodeRuneInString(p.text)
	headless := unicode.IsMark(first) && (b.pending > 0 || len(b.seq.Steps) == 0)
	if p.text != "" && !headless && b.stored(p.text) {
		return b.add(Word{Text: p.text}, p)
	}
	b.leaveOut(p)
	return nil
}

func (b *unitBuilder) leaveOut(p piece) {
	b.pending++
	b.leftOut = true
	text := b.text[p.start:p.end]
	if p.text == "" {
		b.note(LeftOut, p.start, text, "%s at byte %d is ignored: an index has no words of more than %d characters.",
			Quote(text), p.start+1, document.MaxWordLength)
		return
	}
	b.note(LeftOut, p.start, p.text, "%s at byte %d is ignored: the index omits it because it is too common, too short or too long.",
		Quote(text), p.start+1)
}

// syllables returns the number of syllables of Hangul, which say as much as two letters.
func syllables(text string) (n int) {
	for _, r := range text {
		if unicode.Is(unicode.Hangul, r) {
			n++
		}
	}
	return n
}

// pattern appends words and wildcards that touch.
func (b *unitBuilder) pattern(pieces []piece) error {
	text, words, pairs, long := "", 0, 0, false
	for i, p := range pieces {
		if p.wild {
			text += p.text
			continue
		}
		words++
		long = long || p.text == ""
		if document.Paired(p.text) {
			pairs++
		}
		// A capital sigma is a final one only at the end of a word.
		if i+1 < len(pieces) && strings.HasSuffix(b.text[p.start:p.end], "Σ") && strings.HasSuffix(p.text, "ς") {
			p.text = strings.TrimSuffix(p.text, "ς") + "σ"
		}
		text += p.text
	}
	whole := piece{start: pieces[0].start, end: pieces[len(pieces)-1].end}
	raw := b.text[whole.start:whole.end]
	switch {
	case long:
		b.leaveOut(whole)
		return nil
	case words == 1 && pairs == 1 && !strings.Contains(text, "?") && utf8.RuneCountInString(strings.Trim(text, "*")) == 2:
		b.note(NeedlessWildcard, whole.start, "", "The * in %s at byte %d has no effect: text in this script is found inside longer text anyway.",
			Quote(raw), whole.start+1)
		return b.word(piece{text: strings.Trim(text, "*"), start: whole.start, end: whole.end})
	case pairs > 0:
		return b.fault(ErrTooShort, whole.start, "Wildcards as in %s at byte %d do not work in Chinese, Japanese and Thai: remove them.",
			Quote(raw), whole.start+1)
	}
	fixed := strings.IndexAny(text, wildcards)
	if n := utf8.RuneCountInString(text[:fixed]); n+syllables(text[:fixed]) < b.minFixed {
		return b.fault(ErrTooShort, whole.start,
			"%s at byte %d has %s before its first * or ?, at least %d are needed. Write more of the word, or remove the wildcard.",
			Quote(raw), whole.start+1, Count{n, "character"}, b.minFixed)
	}
	return b.add(Pattern{Text: text}, whole)
}
