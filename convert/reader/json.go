package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// deepest bounds the nesting of JSON and XML.
const deepest = 1000

// readJSON reads JSON, also several values one after another: its keys, texts and numbers. A text that is cut or damaged is read up to
// there.
func readJSON(ctx context.Context, s Source, o Options) (Text, error) {
	body, more, err := o.source(s)
	if err != nil {
		return Text{}, err
	}
	p := newPage(s, o)
	p.naming = true
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var (
		open  []byte // the brackets that are open
		key   string // the last one of an object
		isKey bool   // the next text is one
		names = map[string]string{}
	)
	for n := 1; !p.full; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return Text{}, context.Cause(ctx)
		}
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if len(p.body) == 0 {
				return Text{}, fmt.Errorf("damaged JSON: byte %d: %w", d.InputOffset(), err)
			}
			more = true
			break
		}
		inObject := len(open) > 0 && open[len(open)-1] == '{'
		switch v := token.(type) {
		case json.Delim:
			if p.endBlock(); v == '{' || v == '[' {
				if open = append(open, byte(v)); len(open) > deepest {
					return Text{}, fmt.Errorf("JSON is nested more than %d deep", deepest)
				}
			} else if len(open) > 0 {
				open = open[:len(open)-1]
			}
			isKey = len(open) > 0 && open[len(open)-1] == '{'
			continue
		case string:
			if inObject && isKey {
				p.block("p")
				p.textString(v)
				key, isKey = v, false
				continue
			}
			if inObject && len(open) == 1 && names[key] == "" {
				names[key] = cut(v, headText)
			}
			p.value(v, inObject)
		case json.Number:
			p.value(v.String(), inObject)
		}
		isKey = inObject
	}
	for _, key := range []string{"title", "name"} {
		if p.title == "" {
			p.title = names[key]
		}
	}
	t := p.done()
	t.Truncated = t.Truncated || more
	return t, nil
}

// value writes a value behind its key, or in a line of its own.
func (p *page) value(s string, keyed bool) {
	if keyed && p.opened != "" {
		p.raw(": ")
	} else {
		p.block("p")
	}
	p.textString(s)
}
