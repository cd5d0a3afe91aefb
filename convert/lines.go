package convert

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/convert/program"
)

// Line is a Converter line of sets.cnf.
type Line struct {
	From    string // media type; it may end in *
	To      string // text/html, text/plain, or the From of another line
	Charset string // of the output; empty = unknown
	Args    []string
	Where   string // file:line; empty for the line that is built in
}

// pdf holds when no line names its type.
var pdf = Line{
	From: "application/pdf", To: "text/plain", Charset: "utf-8", Args: []string{"pdftotext", "-enc", "UTF-8", "$in", "-"},
}

func (l *Line) fits(mediaType string) bool {
	if begin, ok := strings.CutSuffix(l.From, "*"); ok {
		return strings.HasPrefix(mediaType, begin)
	}
	return l.From == mediaType
}

// isRead reports whether a type is read without a converter.
func isRead(mediaType string) bool { return mediaType == "text/html" || mediaType == "text/plain" }

// chain returns the lines by which a document of a type becomes HTML or plain text: the first that fits, then the first that fits its
// output. nil when none fits, or when the chain does not end.
func (s *Set) chain(mediaType string) (chain []Line) {
	if isRead(mediaType) {
		return nil
	}
	for len(chain) < program.MaxSteps {
		i := slices.IndexFunc(s.lines, func(l Line) bool { return l.fits(mediaType) })
		if i < 0 {
			return nil
		}
		chain, mediaType = append(chain, s.lines[i]), s.lines[i].To
		if isRead(mediaType) {
			return chain
		}
	}
	return nil
}

// byPrograms returns the way through a chain of lines.
func (s *Set) byPrograms(chain []Line) *Way {
	var steps []program.Step
	var names, parts []string
	for _, l := range chain {
		steps = append(steps, program.Step{Args: l.Args, To: l.To})
		name := path.Base(l.Args[0])
		if l.Where != "" {
			name += " (" + l.Where + ")"
		}
		names = append(names, name)
		parts = append(parts, l.From, l.To, l.Charset, fmt.Sprintf("%q", l.Args))
	}
	to := chain[len(chain)-1].To
	if charset := chain[len(chain)-1].Charset; charset != "" {
		to += "; charset=" + charset
	}
	return &Way{Name: strings.Join(names, ", then "), ID: identify(parts...), read: func(ctx context.Context, source Source) (Text, error) {
		r, err := s.o.Runner.Run(ctx, steps, program.Input{
			ReaderAt: source.ReaderAt, Size: source.Size, URL: source.URL, Name: source.Name,
		})
		if err != nil {
			return Text{}, err
		}
		return Text{Body: r.Output, ContentType: to, Truncated: r.Truncated, Stderr: r.Stderr, Elapsed: r.Elapsed}, nil
	}}
}

// identify returns a digest of texts.
func identify(parts ...string) string {
	sum := md5.Sum([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])
}

// known are types that a version of this program may read itself.
var known = []string{
	"text/csv", "text/markdown", "text/tab-separated-values", "text/xml", "text/rtf", "text/calendar", "application/json", "application/xml",
	"application/rss+xml", "application/atom+xml", "application/gzip", "application/epub+zip", "application/octet-stream", "application/rtf",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.presentation",
	"application/zip", "application/x-tar", "image/svg+xml", "message/rfc822",
}

// ID changes with what the Set makes of documents: 32 hex digits.
func (s *Set) ID() string {
	var parts []string
	for _, l := range s.lines {
		parts = append(parts, l.From, l.To, l.Charset, fmt.Sprintf("%q", l.Args))
	}
	for _, media := range known {
		if way := s.Find(media); way != nil {
			parts = append(parts, media, way.ID)
		}
	}
	return identify(parts...)
}
