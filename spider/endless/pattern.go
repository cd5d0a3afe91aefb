package endless

import (
	"iter"
	"slices"
	"strings"
)

// A URL pattern is a URL in which what looks generated is replaced: numbers by {n}, digests and other long
// identifiers by {id}, and the values of a query by nothing. A pattern with /** stands for everything below a
// folder, without the folder itself. A pattern with values is a view (view.go). The patterns of a URL are a chain from
// the widest to the narrowest, in which each contains the next.

// patternDepth is the number of folders down to which patterns with /** are made.
const patternDepth = 4

// address is a URL as the patterns see it.
type address struct {
	chain []string // of its patterns but for the view, the widest first
	query bool     // it has a query or a path parameter
	view  view
}

// addressOf takes a normalized URL apart. A URL without query whose path has nothing generated has no patterns.
func addressOf(url string) address {
	start := PathStart(url)
	path, rest, _ := strings.Cut(url[start:], "?")
	keys := ""
	var v view
	if rest != "" {
		keys, v = queryPattern('?', rest)
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		if j := strings.IndexByte(path[i:], ';'); j >= 0 && strings.Contains(path[i+j:], "=") {
			parameter, _ := queryPattern(';', path[i+j+1:])
			keys, v = parameter+keys, view{}
			path = path[:i+j]
		}
	}
	segments := strings.Split(path[1:], "/")
	first := len(segments) // the first folder with something generated, or none
	for i, s := range segments {
		if p := generalize(s); p != s {
			segments[i] = p
			first = min(first, i)
		}
	}
	widest := 0
	if keys == "" {
		if first == len(segments) {
			return address{}
		}
		widest = first + 1
	}
	var chain []string
	prefix := url[:start]
	for i := range min(len(segments), widest+patternDepth+1) {
		if i >= widest && (i < len(segments)-1 || segments[i] != "") {
			chain = append(chain, prefix+"/**"+keys)
		}
		prefix += "/" + segments[i]
	}
	for _, s := range segments[min(len(segments), widest+patternDepth+1):] {
		prefix += "/" + s
	}
	v.prefix = prefix
	return address{chain: append(chain, prefix+keys), query: keys != "", view: v}
}

// narrowestFirst yields the patterns that may be paused or excepted: those of the view with all names to those with one, then
// the chain.
func (a address) narrowestFirst() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, p := range a.view.patterns() {
			if !yield(p) {
				return
			}
		}
		for _, p := range slices.Backward(a.chain) {
			if !yield(p) {
				return
			}
		}
	}
}

// PathStart returns the index of the slash that begins the path.
func PathStart(url string) int {
	host := strings.Index(url, "://") + len("://")
	if i := strings.IndexByte(url[host:], '/'); i >= 0 {
		return host + i
	}
	return len(url)
}

// generalize replaces what looks generated in a part of a URL. The SQL function url_pattern does the same.
func generalize(s string) string {
	if !strings.ContainsAny(s, "0123456789") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '%' && i+2 < len(s) {
			b.WriteString(s[i : i+3])
			i += 3
			continue
		}
		if isUUID(s[i:]) {
			b.WriteString("{id}")
			i += uuidLength
			continue
		}
		end := i
		for end < len(s) && isAlnum(s[end]) {
			end++
		}
		if end == i {
			b.WriteByte(s[i])
			i++
			continue
		}
		if word := s[i:end]; LooksGenerated(word) {
			b.WriteString("{id}")
		} else {
			numbersOut(&b, word)
		}
		i = end
	}
	return b.String()
}

// LooksGenerated reports whether a word of letters and digits is a digest or a session id, not a name.
func LooksGenerated(word string) bool { return generatedFrom(8, word) }

// shortDigest is the length of the digests of commits and files that texts have.
const shortDigest = 7

// generatedFrom is LooksGenerated for digests of at least a length.
func generatedFrom(length int, word string) bool {
	if len(word) < length {
		return false
	}
	digits, letters, hex := 0, 0, true
	for i := range len(word) {
		switch c := word[i] | 0x20; {
		case isDigit(word[i]):
			digits++
		default:
			letters++
			hex = hex && c >= 'a' && c <= 'f'
		}
	}
	return digits > 0 && letters > 0 && (hex || len(word) >= 20)
}

// numbersOut writes a word with {n} for each number in it.
func numbersOut(b *strings.Builder, word string) {
	for i := 0; i < len(word); i++ {
		if !isDigit(word[i]) {
			b.WriteByte(word[i])
			continue
		}
		for i+1 < len(word) && isDigit(word[i+1]) {
			i++
		}
		b.WriteString("{n}")
	}
}

const uuidLength = 36

// isUUID reports whether s begins with 8-4-4-4-12 hexadecimal digits.
func isUUID(s string) bool {
	if len(s) < uuidLength || len(s) > uuidLength && isAlnum(s[uuidLength]) {
		return false
	}
	for i := range uuidLength {
		switch c := s[i] | 0x20; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if s[i] != '-' {
				return false
			}
		case !isDigit(s[i]) && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

// Regexp returns the regular expression of a pattern, as a line of sets.cnf has it. It has no backslashes, which a log
// shows doubled.
func Regexp(pattern string) string {
	var b strings.Builder
	b.WriteByte('^')
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch c := pattern[i]; {
		case strings.HasPrefix(rest, "{n}"):
			b.WriteString("[0-9]+")
			i += len("{n}") - 1
		case strings.HasPrefix(rest, "{id}"):
			b.WriteString("[0-9A-Za-z-]+")
			i += len("{id}") - 1
		case strings.HasPrefix(rest, "/**"):
			b.WriteString("/[^?]+")
			i += len("/**") - 1
		case c == '=' && (len(rest) == 1 || rest[1] == '&' || rest[1] == '?'):
			b.WriteString("=[^&;]*")
		case c == '&':
			b.WriteString("[&;]")
		case c == '^' || c == '\\':
			b.WriteByte('.')
		case strings.IndexByte(".+*?()|[]{}$", c) >= 0:
			b.WriteString("[" + string(rune(c)) + "]")
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('$')
	return b.String()
}
