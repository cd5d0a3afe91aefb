package weburl

import (
	"strconv"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// pageEncoder writes the query of a link in the charset of its page, as browsers do ("percent-encode after encoding" of the URL
// standard). Everything before the query is UTF-8 in any page.
type pageEncoder struct{ encoder *encoding.Encoder }

// encoderOf returns the encoder of a charset by its WHATWG name, nil for UTF-8 and for those that the standard replaces by it.
func encoderOf(name string) *pageEncoder {
	switch name {
	case "", "utf-8", "utf-16le", "utf-16be", "replacement":
		return nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return &pageEncoder{enc.NewEncoder()}
}

// query returns an href with the characters beyond ASCII of its query escaped in the charset. A character that the charset does
// not have becomes its number in decimal as a form would send it: %26%23NNN%3B is &#NNN;.
func (p *pageEncoder) query(href string) string {
	path, query, asks := strings.Cut(href, "?")
	if !asks || isASCII(query) {
		return href
	}
	out := append(make([]byte, 0, len(href)+2*len(query)), path...)
	out = append(out, '?')
	for len(query) > 0 {
		begin := strings.IndexFunc(query, beyondASCII)
		if begin < 0 {
			begin = len(query)
		}
		out = append(out, query[:begin]...)
		query = query[begin:]
		end := strings.IndexFunc(query, func(r rune) bool { return !beyondASCII(r) })
		if end < 0 {
			end = len(query)
		}
		out = p.escape(out, query[:end])
		query = query[end:]
	}
	return string(out)
}

// escape appends a run of characters beyond ASCII. The encoder begins and ends in ASCII, which matters in ISO-2022-JP only.
func (p *pageEncoder) escape(out []byte, run string) []byte {
	if encoded, err := p.encoder.String(run); err == nil {
		return appendEscaped(out, encoded)
	}
	for _, r := range run {
		if encoded, err := p.encoder.String(string(r)); err == nil {
			out = appendEscaped(out, encoded)
		} else {
			out = append(strconv.AppendInt(append(out, "%26%23"...), int64(r), 10), "%3B"...)
		}
	}
	return out
}

// appendEscaped appends bytes of a query. Those of a character may be ASCII, and stay what they are where a query may hold them.
func appendEscaped(out []byte, encoded string) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range []byte(encoded) {
		if c > ' ' && c < 0x7f && !strings.ContainsRune(`"#<>'`, rune(c)) {
			out = append(out, c)
		} else {
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return out
}

func beyondASCII(r rune) bool { return r > 0x7e }

func isASCII(s string) bool { return strings.IndexFunc(s, beyondASCII) < 0 }
