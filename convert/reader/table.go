package reader

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// titleText bounds a title that is made of a text, in characters.
const titleText = 100

// readTable reads texts that are tables: records in lines, fields separated by a character. Every record becomes a row of an HTML
// table. Quotes that do not follow RFC 4180 are text.
func readTable(ctx context.Context, s Source, o Options) (Text, error) {
	body, more, err := o.source(s)
	if err != nil {
		return Text{}, err
	}
	p := newPage(s, o)
	records := csv.NewReader(bytes.NewReader(body))
	records.Comma, records.LazyQuotes, records.FieldsPerRecord, records.ReuseRecord = separator(body, s.ContentType), true, -1, true
	p.raw("<table>\n")
	for n := 1; !p.full; n++ {
		fields, err := records.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Text{}, err
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return Text{}, context.Cause(ctx)
		}
		if p.title == "" {
			p.title = titleOf(fields)
		}
		p.raw("<tr>")
		for _, field := range fields {
			p.raw("<td>")
			p.textString(field)
			p.raw("</td>")
		}
		p.raw("</tr>\n")
	}
	p.raw("</table>\n")
	t := p.done()
	t.Truncated = t.Truncated || more
	return t, nil
}

// separator returns the character that parts the fields: of those in use the one that the first line has most.
func separator(body []byte, contentType string) rune {
	if strings.HasPrefix(strings.ToLower(contentType), "text/tab-separated-values") {
		return '\t'
	}
	line, _, _ := bytes.Cut(body[:min(len(body), 64<<10)], []byte("\n"))
	best, most := ',', 0
	for _, c := range ",;\t|" {
		if n := bytes.Count(line, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// titleOf returns the fields of a row as a title; none without a letter.
func titleOf(fields []string) string { return firstRunes(lettered(strings.Join(fields, ", "))) }
