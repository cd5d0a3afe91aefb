// Package document parses the bytes of one document into the data that the index stores: title and other
// fields, words with their positions, links, and the author's instructions to robots.
//
// The package is pure: no network, no database, no URL library (links are returned as they are written in the
// document), and no clock except the one of the parse limit. The word rules exist only here, and a query is
// cut by the same code (Tokens):
//
//	bytes ─charset─► UTF-8 ─tokenizer─► text ─scanner─► words ─table─► Document
//	                          │
//	                          └─► links, META, <base>, <link>
//
// A document is read as a stream of tags and text, cut where the HTML standard does; no tree is
// built. So the depth of nesting costs nothing and needs no fallback (B25), and the time is linear in the
// number of bytes, whatever they are (B24). The text of an HTML page is the text that a browser without
// scripts would show: script, style and template are skipped, noscript is read, <b>foo</b>bar is one word and
// <td>foo</td><td>bar</td> are two.
package document

import (
	"errors"
	"strings"
	"time"
)

var (
	// ErrUnreadable is returned for a media type that this package cannot read (extended status 800).
	ErrUnreadable = errors.New("no reader for this media type")
	// ErrTooSlow is returned when Rules.ParseLimit has passed (B24, extended status 805).
	ErrTooSlow = errors.New("parse limit exceeded")
)

// Widths of the text columns, in characters (B27).
const (
	TitleLimit       = 128
	TextLimit        = 255
	KeywordsLimit    = 255
	DescriptionLimit = 100
)

// HeadLimit is the largest number of <link> elements in Document.Heads. A usual document has a dozen; the
// limit bounds the stored row of a hostile one.
const HeadLimit = 100

// nestedDepth is the number of open elements beyond which a document counts as Nested. At this depth the tree
// builder of golang.org/x/net/html gives up.
const nestedDepth = 512

// A Document is the parsed form of one version of a document. Its strings share one allocation and do not
// keep the body alive.
type Document struct {
	// Charset is the one used to decode the body, by its WHATWG name ("utf-8", "koi8-r", "windows-1252").
	Charset string
	// Title, Text, Keywords and Description are cut at 128, 255, 255 and 100 characters; runs of white space
	// and control characters are one blank, none at the ends. Text is the start of the text inside <body>, or
	// of all text when there is no such tag, without what is not content unless there is nothing else. The title of a plain text is
	// its first line.
	Title, Text, Keywords, Description string
	// Lang is a two-letter code in lower case, or empty when not known: <html lang>, else META
	// Content-Language, else what the script tells, the vote of the stop words, else a guess that is marked as reliable.
	Lang string

	// Words are the stored words in byte order of their text, each once. Empty when NoIndex.
	Words []Word
	// WordCount and TotalCount are the number of stored words and of all their occurrences, including those
	// that share the last ordinal.
	WordCount, TotalCount int

	// Base is the href of the first <base>, trimmed; empty when there is none.
	Base string
	// Links are the links of the elements in Rules.LinkTags, in document order, each Href once. rel=nofollow
	// is left out unless Rules.FollowRelNofollow. META nofollow is only reported (NoFollow): the caller decides.
	Links []Link
	// LinksDropped counts the distinct links beyond Rules.MaxLinks (B14).
	LinksDropped int

	// LeftOut says what left out how many words of the body (LeaveOut), in the order of the rules. Whole is true when nothing was
	// left out because too little would have remained: LeftOut says then what would have been left out.
	LeftOut []LeftOut
	Whole   bool

	// The instructions of META robots; the strictest of several wins.
	NoIndex, NoFollow, NoArchive, NoSnippet bool
	// UnavailableAfter is the time from which the page is as with noindex (META robots unavailable_after), zero for none. The caller
	// decides by its clock.
	UnavailableAfter time.Time

	// Heads are the <link rel> elements in order, at most HeadLimit.
	Heads []HeadLink
	// Refresh is the target of the first META refresh, trimmed, or empty. It is not one of the links. RefreshAfter is the time
	// that a browser waits before it goes there, at most a day.
	Refresh      string
	RefreshAfter time.Duration

	// Truncated is true when the body was longer than Rules.IndexLimit and the rest was not read (B17).
	Truncated bool
	// Nested is true when more than 512 elements were open at once (B25). No text is lost by it.
	Nested bool
}

// A Word is one word of a document. Text is valid UTF-8 of 1 to 32 characters. Positions ascend as unsigned
// numbers without repetition and are 1 to 16,383: bits 14-15 are the section (0 body, 1 description, 2
// keywords, 3 title), bits 0-13 the ordinal in it.
type Word struct {
	Text      string
	Positions []uint16
}

// A Link is a reference to another document. Href is as written, with its entities decoded, without
// surrounding blanks and without its fragment, which never names another document. It is relative to
// Document.Base, which is relative to the document's URL, and may be empty or invalid. Tag is the element's
// name in lower case.
type Link struct {
	Href, Tag string
}

// A HeadLink is a <link> element with a rel attribute: canonical, alternate, next and so on.
type HeadLink struct {
	Rel      string `json:"rel"`
	Href     string `json:"href"`
	Type     string `json:"type,omitempty"`
	HrefLang string `json:"hreflang,omitempty"`
	Media    string `json:"media,omitempty"`
	Title    string `json:"title,omitempty"`
	Body     bool   `json:"body,omitempty"` // it stands behind the beginning of the body
}

// kind is the way in which a media type is read.
type kind int8

const (
	unreadable kind = iota
	plainText
	htmlText
	xhtmlText
)

func kindOf(contentType string) kind {
	switch media, _, _ := strings.Cut(contentType, ";"); strings.ToLower(strings.TrimSpace(media)) {
	case "text/html":
		return htmlText
	case "application/xhtml+xml":
		return xhtmlText
	case "text/plain":
		return plainText
	}
	return unreadable
}

// Readable reports whether Parse reads a media type; parameters are ignored.
func Readable(contentType string) bool { return kindOf(contentType) != unreadable }

// Parse reads one document. contentType is the media type with its parameters as the fetcher decided it
// ("text/html; charset=koi8-r"). The first Rules.IndexLimit bytes of body are read, and body is not kept nor
// changed. An empty body is a document without words (B19).
//
// It returns ErrUnreadable or ErrTooSlow, and no other error. It is safe for concurrent use.
func Parse(body []byte, contentType string, r *Rules) (*Document, error) {
	k := kindOf(contentType)
	if k == unreadable {
		return nil, ErrUnreadable
	}
	p := newParser(r)
	defer p.release()

	d := &Document{}
	if len(body) > r.IndexLimit {
		body, d.Truncated = body[:r.IndexLimit], true
	}
	// A caller that keeps IndexLimit bytes only hands over as many.
	text, charset := decode(body, contentType, k, len(body) >= r.IndexLimit, r.Charset)
	d.Charset = charset
	if k == plainText {
		p.title.append(FirstLine(text)) // shown, but not indexed as a title
		p.pending = append(p.pending, text...)
		p.flush()
	} else {
		p.htmlOrWhole(text, k == xhtmlText)
	}
	if p.late() {
		return nil, ErrTooSlow
	}
	p.finish(d)
	return d, nil
}
