package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
)

// sectionPrefixes has the prefixes in the order in which String writes them.
var sectionPrefixes = []struct {
	text    string
	section Sections
}{{"body:", Body}, {"desc:", Desc}, {"keywords:", Keywords}, {"title:", Title}}

// sectionAliases are other spellings.
var sectionAliases = []struct {
	text    string
	section Sections
}{{"intitle:", Title}}

// String returns the query in its canonical spelling: parsed with the same options it gives the same tree,
// without notes. It may be longer than MaxBytes, because each word has its own prefixes.
func (q *Query) String() string {
	if q.Link != "" {
		return LinkPrefix + q.Link
	}
	if q.Root == nil {
		return ""
	}
	var b strings.Builder
	writeNode(&b, q.Root)
	return b.String()
}

func writeNode(b *strings.Builder, n Node) {
	switch n := n.(type) {
	case Word:
		writeSections(b, n.Sections)
		b.WriteString(n.Text)
	case Pattern:
		writeSections(b, n.Sections)
		b.WriteString(n.Text)
	case Phrase:
		writeSections(b, n.Sections)
		text := Sequence{Steps: n.Steps}.text()
		if n.Unit {
			joiner := "-"
			if n.Name {
				joiner = "_"
			}
			b.WriteString(strings.ReplaceAll(text, " ", joiner)) // it has no choices, so no operators
			return
		}
		b.WriteString(`"`)
		b.WriteString(text)
		b.WriteString(`"`)
	case Or:
		for i, a := range n.Any {
			if i > 0 {
				b.WriteString(" OR ")
			}
			writeOperand(b, a)
		}
	case And:
		for i, t := range n.Terms {
			if i > 0 {
				b.WriteString(" ")
			}
			b.WriteString(strings.Repeat("* ", t.Skip))
			if t.Must {
				b.WriteString("+")
			}
			writeOperand(b, t.Node)
		}
		for _, x := range n.Not {
			b.WriteString(" -")
			writeOperand(b, x)
		}
		for _, f := range n.Sites {
			b.WriteString(" ")
			b.WriteString(f.String())
		}
		for _, f := range n.Filters {
			b.WriteString(" ")
			b.WriteString(f.String())
		}
	}
}

// writeOperand writes a node, in parentheses if it needs them.
func writeOperand(b *strings.Builder, n Node) {
	switch n.(type) {
	case And, Or:
		b.WriteString("(")
		writeNode(b, n)
		b.WriteString(")")
	default:
		writeNode(b, n)
	}
}

func writeSections(b *strings.Builder, s Sections) {
	for _, p := range sectionPrefixes {
		if s&p.section != 0 {
			b.WriteString(p.text)
		}
	}
}

// text returns the sequence as it is written between quotation marks.
func (s Sequence) text() string {
	var parts []string
	var run []string // the words of the last part, if it is a run of pairs
	for _, step := range s.Steps {
		for range step.Skip {
			parts, run = append(parts, "*"), nil
		}
		switch item := step.Item.(type) {
		case Word:
			if joined, ok := joinPair(parts, run, item.Text); ok {
				parts[len(parts)-1] = joined
				run = append(run, item.Text)
			} else {
				parts, run = append(parts, item.Text), []string{item.Text}
			}
		case Pattern:
			parts, run = append(parts, item.Text), nil
		case Choice:
			var b strings.Builder
			for i, a := range item.Any {
				if i > 0 {
					b.WriteString(" OR ")
				}
				b.WriteString(a.text())
			}
			parts, run = append(parts, "("+b.String()+")"), nil
		}
	}
	for range s.Tail {
		parts = append(parts, "*")
	}
	return strings.Join(parts, " ")
}

// joinPair appends the pair bc to a run that ends in b, which makes the run one character longer. People
// write such runs without blanks, and a pair that begins with a mark cannot be written alone.
func joinPair(parts, run []string, pair string) (string, bool) {
	if len(run) == 0 || utf8.RuneCountInString(pair) != 2 {
		return "", false
	}
	before := parts[len(parts)-1]
	last, _ := utf8.DecodeLastRuneInString(before)
	first, size := utf8.DecodeRuneInString(pair)
	if last != first {
		return "", false
	}
	joined := before + pair[size:]
	var words []string
	document.Tokens(joined, func(word string, _, _ int) bool {
		words = append(words, word)
		return true
	})
	return joined, len(words) == len(run)+1 && slices.Equal(words[:len(run)], run) && words[len(run)] == pair
}
