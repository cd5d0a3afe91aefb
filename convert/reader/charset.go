package reader

import (
	"bytes"
	"mime"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// source returns the beginning of a text in UTF-8, and whether there is more.
func (o Options) source(s Source) (body []byte, more bool, err error) {
	body, more, err = s.head(o.Limit)
	if err != nil {
		return nil, false, err
	}
	if more {
		body = wholeLine(body)
	}
	return o.decode(body, s.ContentType), more, nil
}

// wholeLine leaves out the last line of a text that was cut, if it has several.
func wholeLine(body []byte) []byte {
	if i := bytes.LastIndexByte(body, '\n'); i > 0 {
		return body[:i+1]
	}
	return body
}

// decode returns a text in UTF-8.
func (o Options) decode(body []byte, contentType string) []byte {
	if o.Decode != nil {
		return o.Decode(body, contentType)
	}
	return decode(body, contentType)
}

// decode is the rule of Options.Decode when there is none: byte order mark, parameter, UTF-8, windows-1252.
func decode(body []byte, contentType string) []byte {
	_, parameters, _ := mime.ParseMediaType(contentType)
	label := parameters["charset"]
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		body, label = body[3:], "utf-8"
	case bytes.HasPrefix(body, []byte("\xFE\xFF")):
		body, label = body[2:], "utf-16be"
	case bytes.HasPrefix(body, []byte("\xFF\xFE")):
		body, label = body[2:], "utf-16le"
	}
	e, name := charset.Lookup(label)
	switch {
	case name == "utf-8", e == nil && utf8.Valid(body):
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	case e == nil:
		e, _ = charset.Lookup("windows-1252")
	}
	decoded, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	return decoded
}
