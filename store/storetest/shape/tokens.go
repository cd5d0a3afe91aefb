package shape

import (
	"regexp"
	"strings"
)

// kind is the kind of a token.
type kind int

const (
	word   kind = iota // keyword or name, in lower case
	number             // numeric literal
	text               // string literal
	param              // $1
	sign               // operator, parenthesis, comma, dot
)

type lexeme struct {
	kind kind
	text string
}

var tokenRE = regexp.MustCompile(`(?s)` +
	`^(?:(\s+|--[^\n]*|/\*.*?\*/)` + // 1 space and comments
	`|([A-Za-z_\x80-\xff][A-Za-z0-9_$\x80-\xff]*)` + // 2 names
	`|"((?:[^"]|"")*)"` + // 3 quoted names
	`|([0-9]+(?:\.[0-9]+)?)` + // 4 numbers
	`|(\$[0-9]+)` + // 5 parameters
	`|(::|:=|[<>=!~@#%^&|?+*/-]+|[][(),;.:])` + // 6 signs
	`)`)

var (
	stringRE = regexp.MustCompile(`(?s)^'(?:[^']|'')*'`)
	escapeRE = regexp.MustCompile(`(?s)^[eE]'(?:[^'\\]|\\.|'')*'`)
	dollarRE = regexp.MustCompile(`^\$([A-Za-z_]*)\$`)
)

// tokens cuts an SQL text. It does not fail: a character that it does not know is a sign.
func tokens(sql string) (list []lexeme) {
	for sql != "" {
		n := 1
		if m := escapeRE.FindString(sql); m != "" {
			n, list = len(m), append(list, lexeme{text, m})
		} else if m := stringRE.FindString(sql); m != "" {
			n, list = len(m), append(list, lexeme{text, m})
		} else if m := dollarRE.FindString(sql); m != "" && strings.Contains(sql[len(m):], m) {
			n = 2*len(m) + strings.Index(sql[len(m):], m)
			list = append(list, lexeme{text, sql[:n]})
		} else if m := tokenRE.FindStringSubmatch(sql); m != nil {
			n = len(m[0])
			switch {
			case m[2] != "":
				list = append(list, lexeme{word, strings.ToLower(m[2])})
			case m[3] != "":
				list = append(list, lexeme{word, m[3]})
			case m[4] != "":
				list = append(list, lexeme{number, m[4]})
			case m[5] != "":
				list = append(list, lexeme{param, m[5]})
			case m[6] != "":
				list = append(list, lexeme{sign, m[6]})
			}
		} else {
			list = append(list, lexeme{sign, sql[:1]})
		}
		sql = sql[n:]
	}
	return list
}
