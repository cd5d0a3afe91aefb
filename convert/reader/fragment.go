package reader

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// blockTags are the elements of HTML that a part of a document keeps. The text of others is kept without them.
var blockTags = map[string]bool{
	"p": true, "div": true, "h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "ul": true, "ol": true, "li": true,
	"dl": true, "dt": true, "dd": true, "table": true, "tr": true, "td": true, "th": true, "pre": true, "blockquote": true, "br": true,
	"nav": true, "section": true, "article": true, "aside": true, "figure": true, "figcaption": true, "caption": true,
}

// inlineTags are elements that do not end a word.
var inlineTags = map[string]bool{
	"b": true, "i": true, "em": true, "strong": true, "span": true, "code": true, "small": true, "big": true, "sub": true, "sup": true,
	"tt": true, "u": true, "s": true, "font": true, "kbd": true, "samp": true, "var": true, "cite": true, "abbr": true, "dfn": true,
	"mark": true, "q": true, "ins": true, "del": true, "time": true, "bdi": true, "bdo": true, "ruby": true, "wbr": true, "a": true,
}

// fragment writes HTML that is a part of a document: its text, its blocks and those of its links that keep accepts. Its title, its
// META elements and its scripts are left out.
func (p *page) fragment(in io.Reader, keep func(href string) bool) error {
	p.endBlock()
	z := html.NewTokenizer(in)
	z.SetMaxBuf(longestToken)
	var closed []string // elements to close at the end
	hidden := ""        // the element whose text is left out
	linked := false
	for !p.full {
		switch z.Next() {
		case html.ErrorToken:
			if linked {
				p.endLink()
			}
			for i := len(closed) - 1; i >= 0; i-- {
				p.raw("</" + closed[i] + ">")
			}
			p.raw("\n")
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return nil
		case html.TextToken:
			if hidden == "" {
				p.text(z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			raw, more := z.TagName()
			name := string(raw)
			switch {
			case name == "script" || name == "style" || name == "title" || name == "iframe" || name == "noembed" || name == "template":
				if bytes.HasSuffix(z.Raw(), []byte("/>")) {
					z.NextIsNotRawText() // <title/> of XHTML
				} else {
					hidden = name
				}
			case hidden != "":
			case name == "a":
				for more {
					var key, value []byte
					key, value, more = z.TagAttr()
					if href := strings.TrimSpace(string(value)); string(key) == "href" && keep(href) {
						if linked {
							p.endLink()
						}
						linked = p.link(href)
					}
				}
			case blockTags[name]:
				p.raw("<" + name + ">")
				if name != "br" && len(closed) < 100 {
					closed = append(closed, name)
				}
			case !inlineTags[name]:
				p.raw(" ")
			}
		case html.EndTagToken:
			raw, _ := z.TagName()
			name := string(raw)
			switch {
			case name == hidden:
				hidden = ""
			case hidden != "":
			case name == "a":
				if linked {
					p.endLink()
				}
				linked = false
			case blockTags[name] && name != "br":
				p.raw("</" + name + ">")
				if n := len(closed); n > 0 && closed[n-1] == name {
					closed = closed[:n-1]
				}
			case !inlineTags[name]:
				p.raw(" ")
			}
		}
	}
	return nil
}

// isAbsolute reports whether a link names its scheme.
func isAbsolute(href string) bool {
	scheme, _, ok := strings.Cut(href, ":")
	return ok && scheme != "" && !strings.ContainsAny(scheme, "/?#")
}
