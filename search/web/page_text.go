package web

import (
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store"
)

// funcs are the functions of the templates in one language. They format values for people; html/template
// escapes the results, except for template.HTML.
func (x *catalog) funcs() template.FuncMap {
	return template.FuncMap{
		"t": x.text, "named": x.named, "ui": func() string { return x.code }, "note": x.note, "local": local,
		"grouped": func(n any) (string, error) {
			i, err := integer(n)
			return x.grouped(i), err
		},
		"decimal": x.decimal,
		"plain":   plain,
		"cut":     func(n int, s string) string { return cut(s, n) },
		"bdi":     isolated,
		"code":    func(s string) template.HTML { return "<code>" + isolated(s) + "</code>" },
		"strong":  func(s template.HTML) template.HTML { return "<strong>" + s + "</strong>" },
		"words":   x.words, "addresses": x.addresses, "spellings": x.spellings,
		"dayTime":    func(t time.Time) template.HTML { return timeElement(t, x.day(t)) },
		"momentTime": func(t time.Time) template.HTML { return timeElement(t, x.moment(t)) },
		"day":        x.day,
		"moment":     x.moment,
		"iso":        iso,
		"span":       x.duration,
		"bytes": func(n any) (string, error) {
			i, err := integer(n)
			return x.byteSize(i), err
		},
		"kind":       x.kindOf,
		"lang":       languageOf,
		"lost":       x.lostWords,
		"http":       http.StatusText,
		"statusText": x.statusText,
		"add":        func(a, b int) int { return a + b },
		"share":      share,
		"byDate":     func(o search.Order) bool { return o == search.ByDate },
		"rankText":   x.phraseWords,
		"weblink":    webLink,
		"keytitle":   keyTitle,
	}
}

// integer returns a number of a template as int64, whatever its type.
func integer(n any) (int64, error) {
	switch n := n.(type) {
	case int:
		return int64(n), nil
	case int64:
		return n, nil
	case uint32:
		return int64(n), nil
	}
	return 0, fmt.Errorf("%T is not a number", n)
}

// plain removes characters that a browser does not show as text: control characters, and those that change
// the direction of the following text. A line end becomes a blank.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
			return -1
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// unseen reports whether a text is invisible: it has only blanks and characters without width.
func unseen(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// cut returns the first n characters. If there are more, the last one is replaced by an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return strings.TrimRightFunc(string(runes[:max(0, n-1)]), unicode.IsSpace) + "…"
}

// kinds has short names of content types.
var kinds = map[string]string{
	"application/pdf": "PDF", "application/msword": "DOC", "application/rtf": "RTF",
	"application/vnd.ms-excel": "XLS", "application/vnd.ms-powerpoint": "PPT",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "DOCX",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "XLSX",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
	"application/vnd.oasis.opendocument.text":                                   "ODT",
	"application/xml": "XML", "text/xml": "XML", "text/markdown": "Markdown", "text/css": "CSS", "text/csv": "CSV",
	"application/json": "JSON", "application/javascript": "JavaScript", "text/javascript": "JavaScript",
}

// kindOf returns the name of the type of a document, empty for a web page.
func (x *catalog) kindOf(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t = strings.ToLower(strings.TrimSpace(strings.SplitN(contentType, ";", 2)[0]))
	}
	switch t {
	case "", "text/html", "application/xhtml+xml":
		return ""
	}
	if t == "text/plain" {
		return x.say("hit.plain_text")
	}
	if name := kinds[t]; name != "" {
		return name
	}
	return cut(plain(t), 40)
}

// languageOf returns a language code that is safe in an attribute, or an empty string.
func languageOf(code string) string {
	if len(code) == 2 && 'a' <= code[0] && code[0] <= 'z' && 'a' <= code[1] && code[1] <= 'z' {
		return code
	}
	return ""
}

// statusText returns the meaning of a status, also of an extended one.
func (x *catalog) statusText(status int) string {
	if text := strconv.Itoa(status); x.named("code.c", text) != text {
		return x.named("code.c", text)
	}
	return http.StatusText(status)
}

// lostWords describes the loss of a lost document; empty for others.
func (x *catalog) lostWords(status int32) string {
	code := store.Status(status).Lost()
	switch code {
	case 0:
		return ""
	case http.StatusNotFound, http.StatusGone:
		return x.say("hit.gone")
	}
	return x.say("hit.answers", "status", strconv.Itoa(code))
}

// share returns n of a total in percent, from 0 to 100.
func share(n, of int64) int {
	if of <= 0 {
		return 0
	}
	return int(min(100, max(0, 100*n/of)))
}

// phraseWords describes Parts.Phrases in words.
func (x *catalog) phraseWords(n int) string {
	switch {
	case n >= 3:
		return x.say("hit.phrase_all")
	case n == 2:
		return x.say("hit.phrase_pairs")
	case n == 1:
		return x.say("hit.phrase_pair")
	}
	return x.say("hit.phrase_none")
}
