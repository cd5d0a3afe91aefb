package reader

import (
	"bytes"
	"context"
	"net/url"
	"path"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// readEPUB reads electronic books: their chapters in the order of the book.
func readEPUB(ctx context.Context, s Source, o Options) (Text, error) {
	z, err := openZip(ctx, s)
	if err != nil {
		return Text{}, err
	}
	if protected, err := z.protected(); protected || err != nil {
		if err == nil {
			err = errEncrypted
		}
		return Text{}, err
	}
	container, err := z.small("META-INF/container.xml", 1<<20)
	if err != nil {
		return Text{}, err
	}
	opf := ""
	for m := newMarkup(bytes.NewReader(container)); opf == "" && m.next(); {
		if m.kind == startTag && m.is("rootfile") {
			opf = strings.TrimPrefix(m.attr("full-path"), "/")
		}
	}
	if z.files[opf] == nil {
		return Text{}, missing("package document")
	}
	p := newPage(s, o)
	if err := z.properties(opf, &p.head); err != nil {
		return Text{}, err
	}
	chapters, err := z.chapters(ctx, opf)
	if err != nil {
		return Text{}, err
	}
	for _, name := range chapters {
		if p.full {
			break
		}
		if ctx.Err() != nil {
			return Text{}, context.Cause(ctx)
		}
		in, err := z.open(name)
		if err != nil {
			return Text{}, err
		}
		if in == nil {
			continue
		}
		// Links inside the book name no page of the Web.
		err = p.fragment(transform.NewReader(in, unicode.BOMOverride(unicode.UTF8.NewDecoder())), isAbsolute)
		in.Close()
		if err != nil {
			return Text{}, err
		}
	}
	return p.done(), nil
}

// chapters returns the files of a book in the order of its spine.
func (z *zipped) chapters(ctx context.Context, opf string) ([]string, error) {
	files, spine := map[string]string{}, []string{}
	err := z.walk(ctx, opf, &page{limit: 1}, func(m *markup) {
		switch {
		case m.kind != startTag:
		case m.is("item"):
			if kind := m.attr("media-type"); strings.Contains(kind, "html") || strings.Contains(kind, "dtbook") {
				href, err := url.PathUnescape(m.attr("href"))
				if err == nil && len(files) < mostParts && len(m.attr("id"))+len(href) < 4*longestID {
					files[m.attr("id")] = within(path.Dir(opf), href)
				}
			}
		case m.is("itemref"):
			if name := files[m.attr("idref")]; name != "" {
				spine = append(spine, name)
				delete(files, m.attr("idref"))
			}
		}
	})
	return spine, err
}

// protected reports whether chapters are encrypted. Fonts are in many books, by two methods that have no key.
func (z *zipped) protected() (bool, error) {
	body, err := z.small("META-INF/encryption.xml", 1<<20)
	if err != nil {
		return false, err
	}
	for m := newMarkup(bytes.NewReader(body)); m.next(); {
		if m.kind == startTag && m.is("encryptionmethod") {
			switch m.attr("algorithm") {
			case "http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC":
			default:
				return true, nil
			}
		}
	}
	return false, nil
}
