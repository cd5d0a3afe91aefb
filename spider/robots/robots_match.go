package robots

import (
	"strings"

	"github.com/pgseek/pgseek/spider/weburl"
)

// robotsPattern is the path of a rule, ready to be compared: "*" matches any octets, a "$" at the end for the
// end of the path, and everything else is in the form of canonical.
type robotsPattern struct {
	text  string
	parts []string // between the asterisks: the first begins the path, the others follow in order
	whole bool     // the last part ends the path
}

func compileRobots(pattern string) robotsPattern {
	p := robotsPattern{text: canonical(pattern, true)}
	text, whole := strings.CutSuffix(p.text, "$")
	p.parts, p.whole = strings.Split(text, "*"), whole
	return p
}

// length returns the octets of the pattern, which "longest match" compares.
func (p *robotsPattern) length() int { return len(p.text) }

// matches compares with a path in the form of canonical. Each part is looked for once, behind the one before:
// the leftmost place is as good as any other, so that there is nothing to come back to, however many
// asterisks there are.
func (p *robotsPattern) matches(path string) bool {
	rest, ok := strings.CutPrefix(path, p.parts[0])
	if !ok {
		return false
	}
	if len(p.parts) == 1 {
		return !p.whole || rest == ""
	}
	last := len(p.parts) - 1
	for _, part := range p.parts[1:last] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	if p.whole {
		return strings.HasSuffix(rest, p.parts[last])
	}
	return strings.Contains(rest, p.parts[last])
}

// pathForms returns the forms under which a path is compared. An escaped slash differs from a plain one in a
// path, but not in a query (the table of RFC 9309 §2.2.2), where patterns name it either way.
func pathForms(path string) []string {
	forms := []string{canonical(path, false)}
	if at, query, ok := strings.Cut(forms[0], "?"); ok && strings.Contains(query, "%2F") {
		forms = append(forms, at+"?"+strings.ReplaceAll(query, "%2F", "/"))
	}
	return forms
}

// canonical writes each octet of a path or pattern in one way, so that escaped and plain forms are equal (RFC
// 9309 §2.2.2): visible ASCII plain, all else escaped with capital digits. The characters that mean something
// plain and something else escaped keep their form; a literal "*" or "$" is escaped, so that the plain ones
// are a pattern's.
func canonical(s string, pattern bool) string {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(s)+8)
	query := false
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], false
		if c == '%' && i+2 < len(s) && weburl.IsHex(s[i+1]) && weburl.IsHex(s[i+2]) {
			c, escaped = unhex(s[i+1])<<4|unhex(s[i+2]), true
			i += 2
		}
		plain := c > ' ' && c < 0x7f
		switch c {
		case '*':
			plain = pattern && !escaped
		case '$':
			plain = pattern && !escaped && i == len(s)-1
		case '/':
			plain = !escaped || pattern && query
		case '?':
			plain = !escaped
			query = query || plain
		case '#', '%':
			plain = !escaped
		}
		if plain {
			out = append(out, c)
		} else {
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}

// unhex is the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
