package document

// tagID names the elements with a meaning for the parser; all others are tagOther.
type tagID uint8

const (
	tagOther tagID = iota
	tagA
	tagArea
	tagBase
	tagBody
	tagFrame
	tagHTML
	tagIframe
	tagImg
	tagLink
	tagMath
	tagMeta
	tagNoembed
	tagNoframes
	tagNoscript
	tagPlaintext
	tagScript
	tagStyle
	tagSvg
	tagTemplate
	tagTextarea
	tagTitle
	tagXmp
	tagArticle
	tagFooter
	tagHeader
	tagMain
	tagNav
	tagDiv     // like tagBlock
	tagHeading // h1 to h3, like tagBlock
	tagBlock   // ends SVG and MathML, must be closed
	tagFlow    // like tagBlock, may be left open: p, li, td
	tagVoid    // has no content: br, hr, input
	tagInline  // does not separate words: b, span
	tagFont    // inline as well, and ends SVG and MathML
	tagWbr     // inline, no content
	tagCount
)

// The effects of an element on the text around it.
const (
	inline   = 1 << iota // a word may continue across its tags, as on a browser's screen
	nests                // counts for the depth of nesting: not void, and HTML requires an end tag
	breakout             // ends SVG and MathML that were not closed
	wanted               // its attributes are read whatever Rules.LinkTags is
	raw                  // contains text without tags
)

var tagFlags = [tagCount]uint8{
	tagOther:     nests,
	tagA:         inline | nests,
	tagArea:      0,
	tagBase:      inline | wanted,
	tagBody:      nests | breakout,
	tagFrame:     0,
	tagHTML:      wanted,
	tagIframe:    raw,
	tagImg:       breakout,
	tagLink:      inline | wanted,
	tagMath:      nests,
	tagMeta:      inline | breakout | wanted,
	tagNoembed:   raw,
	tagNoframes:  nests,
	tagNoscript:  inline | nests,
	tagPlaintext: raw,
	tagScript:    inline | raw,
	tagStyle:     inline | raw,
	tagSvg:       nests,
	tagTemplate:  inline | nests,
	tagTextarea:  raw,
	tagTitle:     raw,
	tagXmp:       raw,
	tagArticle:   nests,
	tagFooter:    nests,
	tagHeader:    nests,
	tagMain:      nests,
	tagNav:       nests,
	tagDiv:       nests | breakout,
	tagHeading:   nests | breakout,
	tagBlock:     nests | breakout,
	tagFlow:      breakout,
	tagVoid:      breakout,
	tagInline:    inline | nests,
	tagFont:      inline | nests | breakout,
	tagWbr:       inline,
}

// tagNamed returns the element of a name in lower case. Elements that only begin and end a line of text have
// one id; elements that are not listed (button, select, custom elements) separate words.
func tagNamed(name []byte) tagID {
	switch string(name) {
	case "a":
		return tagA
	case "p", "dd", "dt", "li":
		return tagFlow
	case "td", "th", "tr", "tbody", "thead", "tfoot", "option", "optgroup", "colgroup", "caption":
		return tagFlow
	case "div":
		return tagDiv
	case "h1", "h2", "h3":
		return tagHeading
	case "table", "ul", "ol", "dl", "h4", "h5", "h6", "pre", "blockquote", "center",
		"dir", "head", "listing", "menu":
		return tagBlock
	case "br", "hr", "col", "embed", "input", "param", "source", "track", "bgsound", "keygen", "basefont":
		return tagVoid
	case "code", "em", "span", "b", "i", "strong", "small", "big", "sub", "sup", "tt", "u", "s", "strike",
		"font", "nobr", "var":
		return tagFont
	case "abbr", "acronym", "bdi", "bdo", "blink", "cite", "data", "del", "dfn", "ins", "kbd", "label", "mark",
		"rb", "ruby", "samp", "time":
		return tagInline
	case "wbr":
		return tagWbr
	case "area":
		return tagArea
	case "base":
		return tagBase
	case "body":
		return tagBody
	case "frame":
		return tagFrame
	case "html":
		return tagHTML
	case "iframe":
		return tagIframe
	case "img", "image":
		return tagImg
	case "link":
		return tagLink
	case "math":
		return tagMath
	case "meta":
		return tagMeta
	case "noembed":
		return tagNoembed
	case "noframes":
		return tagNoframes
	case "noscript":
		return tagNoscript
	case "plaintext":
		return tagPlaintext
	case "script":
		return tagScript
	case "style":
		return tagStyle
	case "svg":
		return tagSvg
	case "template":
		return tagTemplate
	case "textarea":
		return tagTextarea
	case "title":
		return tagTitle
	case "xmp":
		return tagXmp
	case "article":
		return tagArticle
	case "footer":
		return tagFooter
	case "header":
		return tagHeader
	case "main":
		return tagMain
	case "nav":
		return tagNav
	}
	return tagOther
}

// attrID names the attributes that are read.
type attrID uint8

const (
	attrNone attrID = iota
	attrCharset
	attrContent
	attrHref
	attrHreflang
	attrHTTPEquiv
	attrLang
	attrMedia
	attrName
	attrRel
	attrSrc
	attrTitle
	attrType
	attrXMLLang
	attrCount
)

func attrNamed(name []byte) attrID {
	switch string(name) {
	case "href":
		return attrHref
	case "src":
		return attrSrc
	case "rel":
		return attrRel
	case "name":
		return attrName
	case "content":
		return attrContent
	case "http-equiv":
		return attrHTTPEquiv
	case "charset":
		return attrCharset
	case "lang":
		return attrLang
	case "xml:lang":
		return attrXMLLang
	case "type":
		return attrType
	case "title":
		return attrTitle
	case "hreflang":
		return attrHreflang
	case "media":
		return attrMedia
	}
	return attrNone
}
