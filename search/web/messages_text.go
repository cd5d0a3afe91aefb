package web

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"strconv"
	"strings"

	"github.com/pgseek/pgseek/search/query"
)

// text returns a message as HTML. values are pairs of a placeholder's name and its value: a number is written
// as the language writes it, template.HTML is inserted as it is, and anything else as text. The number that
// determines the plural form is that of {n}. Links, code and bold are written in messages as in Markdown:
//
//	[query language]({help})  `title:word`  **12 documents**
//
// All else in a message is text. A message that no file has is shown as its key.
func (x *catalog) text(key string, values ...any) (template.HTML, error) {
	if len(values)%2 != 0 {
		return "", fmt.Errorf("message %s: %d values are no pairs", key, len(values))
	}
	m, in, ok := x.find(key)
	if !ok {
		return template.HTML(template.HTMLEscapeString(key)), nil
	}
	var n int64
	for i := 0; i < len(values); i += 2 {
		if values[i] == "n" {
			n, _ = integer(values[i+1])
		}
	}
	return template.HTML(fill(in.form(m, n), func(name string) (string, bool) {
		name, link := strings.CutPrefix(name, "@")
		for i := 0; i < len(values); i += 2 {
			switch {
			case values[i] == name && link:
				return address(values[i+1]), true
			case values[i] == name:
				return string(x.value(values[i+1])), true
			}
		}
		return "", false
	})), nil
}

// fill replaces the placeholders of a text. Those without a value stay.
func fill(text string, value func(name string) (string, bool)) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		name, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before)
		if v, known := value(name); known {
			b.WriteString(v)
		} else {
			b.WriteString("{" + name + "}")
		}
		text = after
	}
}

// say is text for Go code, where wrong values are a programming error: tests render every page.
func (x *catalog) say(key string, values ...any) string {
	text, err := x.text(key, values...)
	if err != nil {
		return key
	}
	return plainText(text)
}

// plainText returns the text of HTML that markup has made, without links, code and bold.
func plainText(h template.HTML) string {
	text := string(h)
	if strings.Contains(text, "<") {
		text = tags.ReplaceAllString(text, "")
	}
	return html.UnescapeString(text)
}

var tags = regexp.MustCompile(`<[^>]*>`)

// value returns a value of a placeholder as HTML.
func (x *catalog) value(v any) template.HTML {
	switch v := v.(type) {
	case template.HTML:
		return v
	case query.Count:
		return template.HTML(template.HTMLEscapeString(x.say("count."+v.Noun, "n", v.N)))
	}
	if n, err := integer(v); err == nil {
		return template.HTML(template.HTMLEscapeString(x.grouped(n)))
	}
	return template.HTML(template.HTMLEscapeString(strings.ReplaceAll(fmt.Sprint(v), "\x00", "")))
}

var (
	markLink = regexp.MustCompile(`\[([^\]]*)\]\(\{([a-z_]+)\}\)`)
	markCode = regexp.MustCompile("`([^`]*)`")
	markBold = regexp.MustCompile(`\*\*(.+?)\*\*`)
)

// markup returns the HTML of a message, with its placeholders. Values are inserted later, so nothing in them is
// read as markup.
func markup(text string) string {
	text = template.HTMLEscapeString(text)
	text = markLink.ReplaceAllString(text, `<a href="{@$2}">$1</a>`)
	text = markCode.ReplaceAllString(text, "<code>$1</code>")
	return markBold.ReplaceAllString(text, "<strong>$1</strong>")
}

var anchor = template.Must(template.New("anchor").Parse(`<a href="{{.}}">`))

// address returns a value as html/template writes it in href: it refuses schemes that act.
func address(v any) string {
	var b strings.Builder
	_ = anchor.Execute(&b, v) // a Builder has no errors
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `<a href="`), `">`)
}

// sentence returns a sentence of which the English format and its parts are known, in the language of the
// page. Without a translation it is the English text.
func (x *catalog) sentence(format string, args []any, english string) string {
	if format == "" {
		format = english
	}
	for in := x; in != nil; in = in.fallback {
		translation, ok := in.sentences[format]
		if !ok {
			continue
		}
		return fill(translation, func(name string) (string, bool) {
			if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= len(args) {
				return in.part(args[i-1]), true
			}
			return "", false
		})
	}
	return english
}

// part returns a part of a sentence.
func (x *catalog) part(v any) string {
	if n, err := integer(v); err == nil {
		return x.grouped(n)
	}
	if c, ok := v.(query.Count); ok {
		return x.say("count."+c.Noun, "n", c.N)
	}
	return fmt.Sprint(v)
}

// fault returns the text of an error of a query or a parameter.
func (x *catalog) fault(e *query.Error) string {
	return x.inField(e.Field, x.sentence(e.Format, e.Args, e.Text))
}

// note returns the text of a note.
func (x *catalog) note(n query.Note) string {
	return x.inField(n.Field, x.sentence(n.Format, n.Args, n.Text))
}

func (x *catalog) inField(field, text string) string {
	if field == "" || field == "q" {
		return text
	}
	return x.say("results.in_field", "field", field, "text", text)
}
