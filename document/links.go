package document

import (
	"bytes"
	"strings"
)

// link records the link of an element in LinkTags.
func (p *parser) link(z *tokenizer) {
	value, ok := z.attr(linkElements[z.tag].attr)
	if !ok {
		return
	}
	if rel, ok := z.attr(attrRel); ok && !p.rules.FollowRelNofollow && hasToken(rel, "nofollow") {
		return
	}
	href, _, _ := bytes.Cut(trim(value), []byte("#"))
	href = trim(href)
	start, n := len(p.hrefs), len(href)
	p.hrefs = append(p.hrefs, href...)
	switch most := p.rules.MaxLinks; {
	case !p.links.insert(p.hrefs, span{start, n}):
		p.hrefs = p.hrefs[:start]
	case most > 0 && len(p.linkList) >= most:
		p.linksDropped++ // its text remains until the end, so that it is counted only once
	default:
		p.linkList = append(p.linkList, keptLink{span{start, n}, z.tag})
	}
}

// linkElements are the elements that LinkTags may name, and the attribute with the link.
var linkElements = [tagCount]struct {
	name string
	attr attrID
}{
	tagA: {"a", attrHref}, tagArea: {"area", attrHref}, tagLink: {"link", attrHref},
	tagFrame: {"frame", attrSrc}, tagIframe: {"iframe", attrSrc}, tagImg: {"img", attrSrc},
}

// headLink records a <link> with a rel attribute.
func (p *parser) headLink(z *tokenizer) {
	if z.attrsSeen&(1<<attrRel) == 0 || z.attrsSeen&(1<<attrHref) == 0 || len(p.heads) == HeadLimit {
		return
	}
	var h keptHead
	for i, id := range headAttributes {
		if value, ok := z.attr(id); ok {
			h[i] = p.keepString(trim(value))
		}
	}
	p.heads = append(p.heads, h)
	if !p.inBody && len(p.text.text) == 0 && len(trim(p.pending)) == 0 {
		p.headsInHead = len(p.heads)
	}
}

// headAttributes are the attributes of a HeadLink in the order of its fields.
var headAttributes = [...]attrID{attrRel, attrHref, attrType, attrHreflang, attrMedia, attrTitle}

// hasToken reports whether a list of words separated by blanks contains a word, in any case.
func hasToken(list []byte, want string) bool {
	for word := range bytes.FieldsSeq(list) {
		if strings.EqualFold(string(word), want) {
			return true
		}
	}
	return false
}

// trim removes blanks and control characters from both ends, as the URL standard does.
func trim(b []byte) []byte {
	for len(b) > 0 && b[0] <= ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] <= ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// A span is a part of a text that contains many strings.
type span struct{ start, length int }

func (s span) of(text string) string { return text[s.start : s.start+s.length] }

// A spanSet is a set of strings that are parts of one text.
type spanSet struct {
	slots []uint32 // index into spans plus one; 0 = free; a power of two, at most half full
	spans []span
}

func (s *spanSet) reset() {
	if len(s.slots) == 0 || len(s.slots) > keepEntries {
		s.slots = make([]uint32, 256)
	} else {
		clear(s.slots)
	}
	s.spans = keep(s.spans, keepEntries)
}

// insert adds a part of text and returns false if the set has an equal one.
func (s *spanSet) insert(text []byte, add span) bool {
	word := text[add.start : add.start+add.length]
	at := s.slot(text, word)
	if s.slots[at] != 0 {
		return false
	}
	s.spans = append(s.spans, add)
	s.slots[at] = uint32(len(s.spans))
	if 2*len(s.spans) > len(s.slots) {
		s.slots = make([]uint32, 4*len(s.slots))
		for i, old := range s.spans {
			s.slots[s.slot(text, text[old.start:old.start+old.length])] = uint32(i + 1)
		}
	}
	return true
}

// slot returns the slot of a string, or the free one for it.
func (s *spanSet) slot(text, word []byte) uint32 {
	mask := uint32(len(s.slots) - 1)
	at := hashOf(prefixOf(word), word) & mask
	for s.slots[at] != 0 {
		old := s.spans[s.slots[at]-1]
		if old.length == len(word) && bytes.Equal(text[old.start:old.start+old.length], word) {
			break
		}
		at = (at + 1) & mask
	}
	return at
}
