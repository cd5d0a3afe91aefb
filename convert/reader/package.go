package reader

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
)

// Limits of zip files, so that a small one does not cost much.
const (
	directoryBytes = 4 << 20   // of the directory of a zip file
	smallBomb      = 32 << 20  // bytes that any document may unpack to
	bombRatio      = 100       // unpacked bytes for each packed one, beyond smallBomb
	largeBomb      = 512 << 20 // bytes that no document may exceed

	mostParts = 10_000 // sheets, slides, chapters, styles: those beyond are left out
	longestID = 255    // bytes of the id of one
)

var (
	errEncrypted = errors.New("encrypted")
	errBinary    = errors.New("encrypted, or a file of the older binary format")
)

// zipped is the zip file that a document is.
type zipped struct {
	ctx   context.Context // of the conversion; reading ends with it
	files map[string]*zip.File
	names []string
	left  int64 // bytes that may still be unpacked
	limit int64
}

// openZip reads the directory of a zip file. Of several files with one name the first counts.
func openZip(ctx context.Context, s Source) (*zipped, error) {
	var magic [8]byte
	if _, err := s.ReadAt(magic[:], 0); err == nil && string(magic[:]) == "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1" {
		return nil, errBinary
	}
	in := &directoryReader{ReaderAt: s, left: directoryBytes}
	r, err := zip.NewReader(in, s.Size)
	if err != nil {
		return nil, fmt.Errorf("damaged zip file: %w", err)
	}
	in.opened = true
	r.RegisterDecompressor(zip.Deflate, func(in io.Reader) io.ReadCloser { return flate.NewReader(in) })
	z := &zipped{ctx: ctx, files: make(map[string]*zip.File, len(r.File))}
	z.limit = min(max(smallBomb, bombRatio*s.Size), largeBomb)
	z.left = z.limit
	for _, f := range r.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if z.files[name] == nil {
			z.files[name] = f
			z.names = append(z.names, name)
		}
	}
	return z, nil
}

// directoryReader refuses to read a directory that is too long. archive/zip keeps all of it in memory.
type directoryReader struct {
	io.ReaderAt
	left   int64
	opened bool
}

func (d *directoryReader) ReadAt(p []byte, at int64) (int, error) {
	if !d.opened {
		if d.left -= int64(len(p)); d.left < 0 {
			return 0, fmt.Errorf("its directory is longer than %d bytes", directoryBytes)
		}
	}
	return d.ReaderAt.ReadAt(p, at)
}

// open returns a file of the document, nil when there is none.
func (z *zipped) open(name string) (io.ReadCloser, error) {
	f := z.files[name]
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, errEncrypted
	}
	in, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("damaged zip file: %s: %w", shown(name), err)
	}
	return &part{in: in, z: z, name: name}, nil
}

// part is an open file of a document.
type part struct {
	in   io.ReadCloser
	z    *zipped
	name string
}

func (p *part) Read(to []byte) (int, error) {
	if p.z.ctx.Err() != nil {
		return 0, context.Cause(p.z.ctx)
	}
	n, err := p.in.Read(to)
	if p.z.left -= int64(n); p.z.left < 0 {
		return 0, fmt.Errorf("more than %d bytes when unpacked (zip bomb)", p.z.limit)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("damaged zip file: %s: %w", shown(p.name), err)
	}
	return n, err
}

func (p *part) Close() error { return p.in.Close() }

// small returns a file that is read whole, at most its first bytes; nil when there is none.
func (z *zipped) small(name string, limit int64) ([]byte, error) {
	in, err := z.open(name)
	if in == nil || err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(io.LimitReader(in, limit))
}

// shown returns a name for a message.
func shown(name string) string { return fmt.Sprintf("%.60q", name) }

// relations are the parts and links that a part of an Office document names, by their ids.
type relations map[string]relation

type relation struct {
	kind, target string // kind: last segment of its type; target: part name, or URL
	external     bool
}

// relations reads the relations of a part.
func (z *zipped) relations(part string) (relations, error) {
	dir, file := path.Split(part)
	body, err := z.small(dir+"_rels/"+file+".rels", 4<<20)
	if err != nil {
		return nil, err
	}
	found := relations{}
	m := newMarkup(bytes.NewReader(body))
	for m.next() {
		if m.kind != startTag || !m.is("relationship") {
			continue
		}
		r := relation{kind: path.Base(m.attr("type")), target: m.attr("target"), external: strings.EqualFold(m.attr("targetmode"), "External")}
		if !r.external {
			r.target = within(dir, r.target)
		}
		found[m.attr("id")] = r
	}
	return found, nil
}

// within returns the name of a part that another one in a folder names.
func within(dir, target string) string {
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(path.Clean(target), "/")
	}
	return strings.TrimPrefix(path.Join("/", dir, target), "/")
}

// first returns the target of the first relation of a kind.
func (r relations) first(kind, otherwise string) string {
	found := ""
	for _, one := range r {
		if one.kind == kind && !one.external && (found == "" || one.target < found) {
			found = one.target
		}
	}
	if found == "" {
		return otherwise
	}
	return found
}

// properties reads docProps/core.xml and OpenDocument's meta.xml, which use the same names.
func (z *zipped) properties(name string, h *head) error {
	body, err := z.small(name, 1<<20)
	if err != nil {
		return err
	}
	var keywords []string
	var creator, initial, subject string
	m := newMarkup(bytes.NewReader(body))
	into := map[string]*string{
		"title": &h.title, "description": &h.description, "subject": &subject, "language": &h.lang,
		"creator": &creator, "initial-creator": &initial,
		"created": &h.created, "creation-date": &h.created, "modified": &h.modified, "date": &h.modified,
	}
	for m.next() {
		if m.kind != startTag {
			continue
		}
		switch name := string(m.name); name {
		case "keywords", "keyword":
			if word := strings.TrimSpace(m.content(headText)); word != "" {
				keywords = append(keywords, word)
			}
		default:
			if to := into[name]; to != nil && *to == "" {
				*to = strings.TrimSpace(m.content(headText))
			}
		}
	}
	// OpenDocument's creator is who changed it last.
	if h.author = initial; h.author == "" {
		h.author = creator
	}
	if h.description == "" {
		h.description = subject
	}
	h.keywords = strings.Join(keywords, ", ")
	return nil
}
