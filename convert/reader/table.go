package reader

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"html"
	"io"

	"golang.org/x/net/html/charset"
)

// readTable returns the reader of a text that is a table: records in lines, fields separated by a rune. Every record becomes a row of
// an HTML table. Quotes that do not follow RFC 4180 are text.
func readTable(separator rune) Func {
	return func(ctx context.Context, s Source, o Options) (t Text, err error) {
		decoded, err := charset.NewReader(io.NewSectionReader(s, 0, s.Size), s.ContentType)
		if errors.Is(err, io.EOF) { // an empty document
			decoded = bytes.NewReader(nil)
		} else if err != nil {
			return t, fmt.Errorf("charset: %w", err)
		}
		records := csv.NewReader(decoded)
		records.Comma, records.LazyQuotes, records.FieldsPerRecord, records.ReuseRecord = separator, true, -1, true
		t.ContentType = "text/html; charset=utf-8"
		t.Body = append(t.Body, "<table>\n"...)
		for {
			fields, err := records.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return Text{}, err
			}
			row := []byte("<tr>")
			for _, field := range fields {
				row = append(append(append(row, "<td>"...), html.EscapeString(field)...), "</td>"...)
			}
			if int64(len(t.Body)+len(row)) > o.Limit {
				t.Truncated = true
				break
			}
			t.Body = append(append(t.Body, row...), "</tr>\n"...)
		}
		t.Body = append(t.Body, "</table>\n"...)
		return t, nil
	}
}
