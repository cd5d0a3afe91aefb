package document

import "bytes"

// The lengths of tokens. A text begins with the token in all functions.

var (
	tagClose        = []byte(">")
	commentStart    = []byte("<!--")
	cdata, cdataEnd = []byte("<![CDATA["), []byte("]]>")
)

// textLength returns the length of the text before the next tag or comment, which begins with < and a letter, /, ! or ?.
func textLength(text []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], '<')
		if i += n; n < 0 || i+1 == len(text) {
			return len(text)
		}
		switch c := text[i+1]; {
		case isLetter(c), c == '!', c == '?':
			return i
		case c == '/':
			if i+2 < len(text) {
				return i
			}
			return len(text)
		}
	}
}

// lengthTo returns the length up to the end of the next mark after a place, or to the end of the text.
func lengthTo(text []byte, from int, mark []byte) int {
	if n := bytes.Index(text[from:], mark); n >= 0 {
		return from + n + len(mark)
	}
	return len(text)
}

// commentLength returns the length of <!-- and what follows to --> or --!>; <!--> and <!---> are whole comments.
func commentLength(text []byte) int {
	start := len(commentStart)
	for i := start; ; i++ {
		n := bytes.IndexByte(text[i:], '>')
		if n < 0 {
			return len(text)
		}
		i += n
		inside := text[start:i]
		if len(inside) == 0 || string(inside) == "-" || bytes.HasSuffix(inside, []byte("--")) || bytes.HasSuffix(inside, []byte("--!")) {
			return i + 1
		}
	}
}

// tagLength returns the length of a tag, in which what follows the name begins at i; -1 if it has no end. unquoted says that it
// ends with a value without quotes, to which a slash at its end belongs.
func tagLength(text []byte, i int) (n int, unquoted bool) {
	for {
		for i < len(text) && (isBlank(text[i]) || text[i] == '/') {
			i++
		}
		if i == len(text) {
			return -1, false
		}
		if text[i] == '>' {
			return i + 1, false
		}
		for i++; i < len(text) && !endsAttributeName(text[i]); { // even if the first is =
			i++
		}
		for i < len(text) && isBlank(text[i]) {
			i++
		}
		if i == len(text) {
			return -1, false
		}
		if text[i] != '=' {
			continue
		}
		for i++; i < len(text) && isBlank(text[i]); {
			i++
		}
		if i == len(text) {
			return -1, false
		}
		if quote := text[i]; quote == '"' || quote == '\'' {
			n := bytes.IndexByte(text[i+1:], quote)
			if n < 0 {
				return -1, false
			}
			i += n + 2
			continue
		}
		for i < len(text) && text[i] != '>' && !isBlank(text[i]) {
			i++
		}
		if i < len(text) && text[i] == '>' {
			return i + 1, true
		}
	}
}

// endsAttributeName reports whether a byte ends the name of an attribute.
func endsAttributeName(c byte) bool { return c == '=' || c == '>' || c == '/' || isBlank(c) }

// rawNames has the names of the elements whose content is text without tags.
var rawNames = [tagCount]string{
	tagIframe: "iframe", tagNoembed: "noembed", tagScript: "script", tagStyle: "style",
	tagTextarea: "textarea", tagTitle: "title", tagXmp: "xmp",
}

// rawLength returns the length of the raw content of an element.
func rawLength(text []byte, tag tagID) int {
	switch tag {
	case tagPlaintext: // has no end
		return len(text)
	case tagScript:
		return scriptLength(text)
	}
	for i := 0; ; i++ {
		n := bytes.IndexByte(text[i:], '<')
		if n < 0 {
			return len(text)
		}
		if i += n; endsElement(text[i+1:], rawNames[tag]) {
			return i
		}
	}
}

// endsElement reports whether what follows a < makes it the end tag of an element with raw content.
func endsElement(text []byte, name string) bool {
	return len(text) > 0 && text[0] == '/' && isTag(text[1:], name)
}

// isTag reports whether a tag, which begins with its name, has this one.
func isTag(tag []byte, name string) bool {
	return len(tag) > len(name) && equalFold(tag[:len(name)], name) && (tag[len(name)] == '>' || tag[len(name)] == '/' || isBlank(tag[len(name)]))
}

// scriptLength returns the length of the content of a script. In <!-- the content of a second <script> belongs to it, its end tag
// included.
func scriptLength(text []byte) int {
	const plain, escaped, doubled = 0, 1, 2
	const name = "script"
	state, dash := plain, 0 // dash: how many dashes come before i
	for i := 0; i < len(text); {
		c := text[i]
		if i++; c == '-' && state != plain {
			dash++
			continue
		}
		if c == '>' && dash >= 2 {
			state = plain
		}
		dash = 0
		if c != '<' {
			if state == plain {
				if n := bytes.IndexByte(text[i:], '<'); n >= 0 {
					i += n
				} else {
					i = len(text)
				}
			}
			continue
		}
		rest := text[i:]
		switch ends := endsElement(rest, name); {
		case ends && state == doubled:
			state, i = escaped, i+len("/script>")
		case ends:
			return i - 1
		case state == plain && bytes.HasPrefix(rest, commentStart[1:]):
			state, dash, i = escaped, 2, i+len("!--")
		case state == escaped && isTag(rest, name):
			state, i = doubled, i+len("script>")
		case state == escaped && len(rest) > 0 && rest[0] != '/' && !isLetter(rest[0]):
			state = plain
		}
	}
	return len(text)
}
