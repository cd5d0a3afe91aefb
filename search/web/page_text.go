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
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
)

// pageFuncs are the functions of the templates. They format values for people; html/template escapes the
// results.
var pageFuncs = template.FuncMap{
	"grouped": func(n any) (string, error) {
		i, err := integer(n)
		return grouped(i), err
	},
	"count":  countOf,
	"plain":  plain,
	"cut":    func(n int, s string) string { return cut(s, n) },
	"day":    day,
	"moment": moment,
	"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"span":   duration,
	"bytes": func(n any) (string, error) {
		i, err := integer(n)
		return byteSize(i), err
	},
	"kind":     kindOf,
	"lang":     language,
	"lost":     lostWords,
	"http":     http.StatusText,
	"webLink":  webLink,
	"crumbs":   crumbs,
	"add":      func(a, b int) int { return a + b },
	"share":    share,
	"byDate":   func(o search.Order) bool { return o == search.ByDate },
	"rankText": phraseWords,
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

// grouped writes a number with separators: 12,345.
func grouped[N int | int64](n N) string {
	s := strconv.FormatInt(int64(n), 10)
	from := 0
	if s[0] == '-' {
		from = 1
	}
	for i := len(s) - 3; i > from; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// countOf writes 1 document or 12,345 documents.
func countOf(n any, noun string) (string, error) {
	i, err := integer(n)
	switch {
	case i == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	default:
		noun += "s"
	}
	return grouped(i) + " " + noun, err
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

// day and moment write times in UTC, because the time zone of the reader is unknown.
func day(t time.Time) string { return t.UTC().Format("2 January 2006") }

func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// duration writes a duration with about two digits: 0.4 ms, 14 ms, 1.2 s, 3 min, 5 h 20 min, 2 days. The
// space before a unit does not break.
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0\u00a0ms"
	case d < time.Millisecond:
		return fmt.Sprintf("%.1f\u00a0ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d\u00a0ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f\u00a0s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d\u00a0s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d\u00a0min", int(d.Minutes()))
	case d < 48*time.Hour:
		return strings.TrimSuffix(fmt.Sprintf("%d\u00a0h %d\u00a0min", int(d.Hours()), int(d.Minutes())%60), " 0\u00a0min")
	}
	return grouped(int(d.Hours()/24)) + "\u00a0days"
}

// byteSize writes 812 bytes, 14 KB, 1.2 MB, 3.4 GB.
func byteSize(n int64) string {
	switch {
	case n < 1000:
		return query.Plural(int(n), "byte")
	case n < 999_500:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	case n < 9_950_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	if n < 999_500_000 {
		return fmt.Sprintf("%d MB", (n+500_000)/1_000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// kinds has short names of content types.
var kinds = map[string]string{
	"text/plain": "Text", "application/pdf": "PDF", "application/msword": "DOC", "application/rtf": "RTF",
	"application/vnd.ms-excel": "XLS", "application/vnd.ms-powerpoint": "PPT",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   "DOCX",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         "XLSX",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": "PPTX",
	"application/vnd.oasis.opendocument.text":                                   "ODT",
	"application/xml": "XML", "text/xml": "XML", "text/markdown": "Markdown", "text/css": "CSS", "text/csv": "CSV",
	"application/json": "JSON", "application/javascript": "JavaScript", "text/javascript": "JavaScript",
}

// kindOf returns the name of the type of a document, empty for a web page.
func kindOf(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		t = strings.ToLower(strings.TrimSpace(strings.SplitN(contentType, ";", 2)[0]))
	}
	switch t {
	case "", "text/html", "application/xhtml+xml":
		return ""
	}
	if name := kinds[t]; name != "" {
		return name
	}
	return cut(plain(t), 40)
}

// language returns a language code that is safe in an attribute, or an empty string.
func language(code string) string {
	if len(code) == 2 && 'a' <= code[0] && code[0] <= 'z' && 'a' <= code[1] && code[1] <= 'z' {
		return code
	}
	return ""
}

// lostWords describes the loss of a lost document; empty for others.
func lostWords(status int32) string {
	code := store.Status(status).Lost()
	switch code {
	case 0:
		return ""
	case http.StatusNotFound, http.StatusGone:
		return "no longer on its site"
	}
	return fmt.Sprintf("its site answers %d now", code)
}

// share returns n of a total in percent, from 0 to 100.
func share(n, of int64) int {
	if of <= 0 {
		return 0
	}
	return int(min(100, max(0, 100*n/of)))
}

// phraseWords describes Parts.Phrases in words.
func phraseWords(n int) string {
	switch {
	case n >= 3:
		return "all words form one phrase"
	case n == 2:
		return "several pairs of neighboring words"
	case n == 1:
		return "one pair of neighboring words"
	}
	return "no neighboring words"
}
