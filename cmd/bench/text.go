package main

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// textOf returns the text of a document as UTF-8, as package document passes it to its scanner, with each run of
// white space as one blank. to_tsvector and the floor of the merge get it, and it is the measure for the size of
// the index.
func textOf(body []byte, contentType string) string {
	if !strings.HasPrefix(contentType, "text/html") && !strings.HasPrefix(contentType, "application/xhtml") {
		return clean(string(body))
	}
	var text strings.Builder
	z := html.NewTokenizer(bytes.NewReader(body))
	hidden := 0
	for {
		switch z.Next() {
		case html.ErrorToken:
			return clean(text.String())
		case html.TextToken:
			if hidden == 0 {
				text.Write(z.Text())
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			hidden += oneIf(notShown[string(name)])
			separate(&text, name)
		case html.EndTagToken:
			name, _ := z.TagName()
			hidden = max(hidden-oneIf(notShown[string(name)]), 0)
			separate(&text, name)
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			separate(&text, name)
		}
	}
}

var (
	notShown = map[string]bool{"script": true, "style": true, "iframe": true, "noembed": true, "template": true}
	// inline elements end no word.
	inline = map[string]bool{
		"a": true, "abbr": true, "b": true, "code": true, "em": true, "font": true, "i": true, "kbd": true, "s": true, "samp": true,
		"small": true, "span": true, "strong": true, "sub": true, "sup": true, "tt": true, "u": true, "var": true,
	}
)

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func separate(text *strings.Builder, name []byte) {
	if !inline[string(name)] {
		text.WriteByte(' ')
	}
}

// clean makes text valid for the server and reduces white space.
func clean(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", " "), " ")
	return strings.Join(strings.Fields(text), " ")
}
