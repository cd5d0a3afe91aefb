package document

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// html reads an HTML document that is valid UTF-8.
func (p *parser) html(text []byte, xml bool) {
	z := newTokenizer(text, xml)
	z.keepAll = p.visits()
	for n := 0; ; n++ {
		if n&1023 == 1023 && p.late() {
			return
		}
		switch z.next() {
		case endOfText:
			p.flush()
			return
		case textToken:
			p.textToken(z)
		case commentToken:
			p.comment(z)
		case startTag:
			p.startTag(z)
		case endTag:
			p.endTag(z)
		}
	}
}

// textToken reads text that a browser would show. The content of script, style, iframe and noembed is not
// shown. noscript and noframes are not raw elements here, because this parser neither runs scripts nor shows
// frames.
func (p *parser) textToken(z *tokenizer) {
	if p.templates > 0 {
		return
	}
	switch z.textOf {
	case tagTitle:
		p.titleText(z.text())
		return
	case tagScript, tagStyle, tagIframe, tagNoembed:
		return
	}
	switch {
	case p.out():
		p.omit(z.text())
	case p.reader != nil:
		p.fillGap()
		p.readText(z.text())
	default:
		p.fillGap()
		p.pending = append(p.pending, z.text()...)
	}
}

// comment handles <!--noindex--> and similar comments: the text between the two is not indexed, links are
// followed.
func (p *parser) comment(z *tokenizer) {
	if len(z.raw) > len("<!--/htdig_noindex-->")+16 {
		return
	}
	name, closing := strings.CutPrefix(strings.ToLower(string(bytes.TrimSpace(z.commentText()))), "/")
	if p.rules.leave.Navigation {
		for _, begin := range []string{"googleoff:", "googleon:"} {
			if what, ok := strings.CutPrefix(name, begin); ok {
				if what = strings.TrimSpace(what); what == "index" || what == "all" {
					name, closing = "noindex", begin == "googleon:"
				}
			}
		}
	}
	switch name {
	case "noindex", "htdig_noindex", "udmcomment":
		p.separate()
		p.hidden = !closing
	}
}

func (p *parser) startTag(z *tokenizer) {
	flags := tagFlags[z.tag]
	if flags&inline == 0 {
		p.separate()
	}
	if flags&breakout != 0 {
		z.foreign = false
	}
	if flags&nests != 0 && !(z.closed && (z.xml || z.foreign)) {
		if p.depth++; p.depth > nestedDepth {
			p.nested = true
		}
	}
	if p.leaves && p.templates == 0 {
		p.inElements(z, flags)
	}
	switch z.tag {
	case tagSvg, tagMath:
		z.foreign = z.foreign || !z.closed
	case tagTemplate:
		if !(z.xml && z.closed) {
			p.templates++
		}
	case tagBody:
		if !p.inBody {
			// The text before <body> is indexed, but is not part of the body's text.
			p.flush()
			p.inBody = true
			p.text.reset(TextLimit)
			p.aside.reset(TextLimit)
		}
	}
	if p.templates == 0 && (flags&wanted != 0 || p.rules.linkTags[z.tag]) {
		p.attributes(z)
	}
	if p.visits() {
		p.visitStart(z, flags&inline == 0)
	}
}

func (p *parser) endTag(z *tokenizer) {
	flags := tagFlags[z.tag]
	if flags&inline == 0 {
		p.separate()
	}
	if flags&nests != 0 && p.depth > 0 {
		p.depth--
	}
	if p.leaves && p.templates == 0 {
		p.outOfElements(z, flags)
	}
	if p.visits() {
		p.visitEnd(z, flags&inline == 0)
	}
	switch z.tag {
	case tagSvg, tagMath:
		z.foreign = false
	case tagTemplate:
		p.templates = max(0, p.templates-1)
	case tagBody:
		p.flush()
		p.afterBody = true
	}
}

// attributes reads the attributes of a start tag.
func (p *parser) attributes(z *tokenizer) {
	z.readAttributes()
	switch z.tag {
	case tagMeta:
		p.meta(z)
		return
	case tagHTML:
		for _, id := range []attrID{attrLang, attrXMLLang} {
			if value, ok := z.attr(id); ok && p.lang == "" {
				p.lang = languageCode(value)
			}
		}
		return
	case tagBase:
		if value, ok := z.attr(attrHref); ok && !p.based {
			p.based = true
			p.base = p.keepString(trim(value))
		}
		return
	case tagLink:
		p.headLink(z)
	}
	if p.rules.linkTags[z.tag] {
		p.link(z)
	}
}

// titleText reads the text of a <title>: the first one that is not empty is the document's, all are indexed.
func (p *parser) titleText(text []byte) {
	if p.title.empty() {
		p.title.append(text)
	}
	if !p.hidden {
		p.addWords(text, sectionTitle)
	}
}

// meta reads a META element.
func (p *parser) meta(z *tokenizer) {
	content, ok := z.attr(attrContent)
	if !ok {
		return
	}
	for _, id := range []attrID{attrName, attrHTTPEquiv} {
		value, ok := z.attr(id)
		if !ok {
			continue
		}
		if len(value) > 32 {
			continue // longer than any name below
		}
		switch name := strings.ToLower(string(bytes.TrimSpace(value))); name {
		case "description":
			p.metaText(content, &p.description, sectionDescription)
			return
		case "keywords":
			p.metaText(content, &p.keywords, sectionKeywords)
			return
		case "robots":
			p.robots(string(content))
			return
		case "refresh":
			if target, after := refreshTarget(string(content)); target != "" && p.refresh.length == 0 {
				p.refresh, p.refreshAfter = p.keepString([]byte(target)), after
			}
			return
		case "content-language":
			if p.metaLang == "" {
				p.metaLang = languageCode(content)
			}
			return
		default:
			if id == attrName && name != "" && name == p.rules.Agent {
				p.robots(string(content))
				return
			}
		}
	}
}

// metaText reads a description or keywords; several continue the same column and the same ordinals.
func (p *parser) metaText(content []byte, f *field, section int) {
	f.append([]byte(" "))
	f.append(content)
	if !p.hidden {
		p.addWords(content, section)
	}
}

// robots reads the words of META robots. "index", "follow" and "all" are the default.
func (p *parser) robots(content string) {
	if strings.Contains(content, ":") {
		content = p.robotsWithValue(content)
	}
	separator := func(r rune) bool { return r == ',' || r == ';' || r <= ' ' }
	for word := range strings.FieldsFuncSeq(strings.ToLower(content), separator) {
		switch word {
		case "noindex":
			p.noIndex = !p.rules.IgnoreMeta
		case "nofollow":
			p.noFollow = !p.rules.IgnoreMeta
		case "none":
			p.noIndex, p.noFollow = !p.rules.IgnoreMeta, !p.rules.IgnoreMeta
		case "noarchive":
			p.noArchive = true
		case "nosnippet":
			p.noSnippet = true
		}
	}
}

// robotsWithValue reads the directives of META robots that take a value, and returns the words beside them. Blanks may separate
// directives, too.
func (p *parser) robotsWithValue(content string) string {
	var words []string
	for _, directive := range RobotsDirectives(strings.ReplaceAll(content, ";", ",")) {
		before, value, valued := strings.Cut(directive, ":")
		names := strings.Fields(before)
		words = append(words, names...)
		if !valued || len(names) == 0 {
			continue
		}
		words = append(words, strings.Fields(value)...)
		name := names[len(names)-1]
		if strings.EqualFold(name, "max-snippet") && strings.TrimSpace(value) == "0" {
			p.noSnippet = true
		}
		if date, ok := UnavailableAfter(name + ":" + value); ok && !p.rules.IgnoreMeta && (p.unavailable.IsZero() || date.Before(p.unavailable)) {
			p.unavailable = date
		}
	}
	return strings.Join(words, ",")
}

// refreshTarget returns the URL of a META refresh, "5; url=next.html", and its time. Fractions of seconds count for nothing, as in
// browsers.
func refreshTarget(content string) (target string, after time.Duration) {
	number := strings.TrimLeft(content, " \t\r\n\f")
	rest := strings.TrimLeft(number, "0123456789.")
	i := strings.IndexAny(rest, ";, \t\r\n\f")
	if i != 0 {
		return "", 0
	}
	whole, _, _ := strings.Cut(number[:len(number)-len(rest)], ".")
	seconds, err := strconv.Atoi("0" + whole)
	if err != nil || seconds > longestRefresh {
		seconds = longestRefresh
	}
	after = time.Duration(seconds) * time.Second
	rest = strings.TrimLeft(rest, ";, \t\r\n\f")
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest[3:], " \t\r\n\f"), "="); ok {
			rest = strings.TrimLeft(after, " \t\r\n\f")
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		rest, _, _ = strings.Cut(rest[1:], rest[:1])
	}
	return strings.TrimSpace(rest), after
}

// longestRefresh is the longest time of a META refresh in seconds: longer ones count as that.
const longestRefresh = 24 * 60 * 60

// languageCode returns the two letters that a language tag begins with ("en-GB"), or an empty string: a tag
// of three letters (fil) is another language than its first two.
func languageCode(tag []byte) string {
	tag = bytes.TrimSpace(tag)
	if len(tag) < 2 || !isLetter(tag[0]) || !isLetter(tag[1]) || len(tag) > 2 && (isAlnum(tag[2]) || tag[2] >= 0x80) {
		return ""
	}
	return strings.ToLower(string(tag[:2]))
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return asciiClass[c]&classMask == classLetter }
