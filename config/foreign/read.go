package foreign

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of the files. The old programs nest Include lines five levels deep.
const (
	maxDepth = 5
	maxFiles = 200
	maxLine  = 64 << 10
)

// source has the lines of the old files.
type source struct {
	dir             string // of the first file, to which names of files are relative
	lines           []line
	comments, blank int
	kept            int // comments that go with a directive
	notRead         []string
	files           int
	read            func(string) ([]byte, error)
}

// line is one directive as it was written.
type line struct {
	file    string // as it is shown
	number  int
	text    string // continuation lines joined
	keyword string
	rest    string // what follows the keyword
	above   []string
	broken  string // why the line cannot be read
}

// readAll reads a file and those that it includes.
func readAll(path string, read func(string) ([]byte, error)) (*source, error) {
	s := &source{dir: filepath.Dir(path), read: read}
	b, err := read(path)
	if err != nil {
		return nil, err
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return nil, errTold("NUL byte: the file is no text")
	}
	s.file(path, b, []string{filepath.Clean(path)})
	if len(s.lines) == 0 {
		return nil, errTold("no directive: the file has comments and blank lines only")
	}
	return s, nil
}

// file reads the lines of a file. chain has its name and those of the files that include it.
func (s *source) file(path string, b []byte, chain []string) {
	s.files++
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	raw := strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n")
	if raw[len(raw)-1] == "" {
		raw = raw[:len(raw)-1]
	}
	var above []string
	for i := 0; i < len(raw); i++ {
		text := strings.Trim(raw[i], " \t\r")
		switch {
		case text == "":
			s.blank++
			above = nil
			continue
		case text[0] == '#':
			s.comments++
			above = append(above, text)
			continue
		}
		number := i + 1
		for strings.HasSuffix(text, `\`) && i+1 < len(raw) {
			i++
			text = strings.TrimSuffix(text, `\`) + strings.TrimRight(raw[i], " \t\r")
		}
		l := line{file: s.under(path), number: number, text: strings.TrimRight(strings.TrimSuffix(text, `\`), " \t"), above: remarks(above)}
		above = nil
		end := strings.IndexAny(l.text, " \t")
		if end < 0 {
			end = len(l.text)
		}
		l.keyword, l.rest = l.text[:end], strings.Trim(l.text[end:], " \t")
		l.broken = unreadable(l.text)
		if l.broken == "" && strings.EqualFold(l.keyword, "Include") {
			s.include(&l, chain)
			continue
		}
		s.kept += len(l.above)
		s.lines = append(s.lines, l)
	}
}

// include reads the file that an Include line names. A line whose file cannot be read stays.
func (s *source) include(l *line, chain []string) {
	name := strings.Trim(strings.ReplaceAll(l.rest, "$(ConfDir)", s.dir), `"'`)
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, name)
	}
	stay := func(why string) {
		l.broken = "the file was not read: " + why
		s.notRead = append(s.notRead, withoutSecrets(name)+": "+why)
		s.lines = append(s.lines, *l)
	}
	switch {
	case name == "":
		stay("it has no name")
		return
	case slices.Contains(chain, filepath.Clean(path)):
		stay("it includes itself")
		return
	case len(chain) > maxDepth || s.files >= maxFiles:
		stay("too many files are included in each other")
		return
	}
	b, err := s.read(path)
	switch {
	case err != nil:
		stay(err.Error())
	case bytes.IndexByte(b, 0) >= 0:
		stay("NUL byte: it is no text")
	default:
		included := *l
		included.above = nil
		s.lines = append(s.lines, included)
		s.file(path, b, append(slices.Clip(chain), filepath.Clean(path)))
	}
}

// unreadable returns why a line cannot be read.
func unreadable(text string) string {
	switch {
	case len(text) > maxLine:
		return "the line is longer than 64 KiB"
	case !utf8.ValidString(text):
		return "the line is not UTF-8; write it in UTF-8"
	}
	for _, r := range text {
		if r < ' ' && r != '\t' || r == 0x7F {
			return "the line has a control character"
		}
	}
	return ""
}

// remarks returns the comment above a directive if it is one of the operator's: at most three lines of text, none of which is a
// directive that was switched off.
func remarks(above []string) []string {
	if len(above) > 3 {
		return nil
	}
	for _, text := range above {
		words := strings.Fields(strings.TrimLeft(text, "# \t"))
		if len(words) == 0 || len(text) > 200 || unreadable(text) != "" || known(words[0]) || withoutSecrets(text) != text {
			return nil
		}
	}
	return above
}

// fields splits what follows the keyword. ASPseek has no quotation marks; the others have both kinds.
func (im *importer) fields(e *entry) []string {
	if im.in == aspseek {
		return strings.Fields(e.rest)
	}
	return words(e.rest)
}

// words splits a text at blanks outside of quotation marks, which are removed.
func words(s string) (list []string) {
	var b strings.Builder
	within, quote := false, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t'):
			if within {
				list = append(list, b.String())
				b.Reset()
			}
			within = false
			continue
		case quote == 0 && !within && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0 && c == '\\' && i+1 < len(s) && s[i+1] == quote:
			i++
			b.WriteByte(quote)
		default:
			b.WriteByte(c)
		}
		within = true
	}
	if within {
		list = append(list, b.String())
	}
	return list
}

// place returns file and number of a line.
func (l *line) place() string { return l.file + ":" + strconv.Itoa(l.number) }
