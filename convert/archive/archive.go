// Package archive reads the members of zip, tar and tar.gz files. It extracts nothing to a directory: a member is opened by its number,
// and its name is only a name. Everything is bounded by Limits. An error says in words what is wrong with an archive.
package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// ErrBroken is wrapped by all errors about what an archive contains.
var ErrBroken = errors.New("broken archive")

var errEncrypted = errors.New("encrypted")

// Limits of an archive.
type Limits struct {
	Members  int   // that are listed
	Unpacked int64 // bytes of all members together; 0: Bound of its size
}

// Bound returns the bytes that an archive of a size may unpack to: a hundred times as many.
func Bound(size int64) int64 { return min(max(smallBomb, bombRatio*size), largeBomb) }

const (
	smallBomb      = 64 << 20
	bombRatio      = 100
	largeBomb      = 10 << 30
	tarBomb        = 2 << 30 // of a tar.gz, which is unpacked to a temporary file
	directoryBytes = 8 << 20 // of the directory of a zip file, which is held in memory
	longestName    = 2000    // bytes
	mostHeaders    = 20      // members left out, for each one that is listed
)

// Kind is a format.
type Kind string

// The formats.
const (
	None  Kind = ""
	Zip   Kind = "zip"
	Tar   Kind = "tar"
	TarGz Kind = "tar.gz"
)

// KindOf returns the format that the name of a file ends in.
func KindOf(name string) Kind {
	switch name = strings.ToLower(name[max(0, len(name)-len(".tar.gz")):]); {
	case strings.HasSuffix(name, ".zip"):
		return Zip
	case strings.HasSuffix(name, ".tar"):
		return Tar
	case strings.HasSuffix(name, ".tgz"), strings.HasSuffix(name, ".tar.gz"):
		return TarGz
	}
	return None
}

// Member is a file in an archive.
type Member struct {
	Name     string // relative, with slashes, without . and ..
	Size     int64
	Modified time.Time // zero if unknown
	Err      error     // why it cannot be opened, nil if it can

	open func() (io.ReadCloser, error)
}

// Archive is an archive whose members are known. It is safe for concurrent use.
type Archive struct {
	Members []Member
	Left    Left        // out
	file    io.ReaderAt // keeps a temporary file open
}

// Left counts what is not listed.
type Left struct {
	More    bool // members beyond Limits.Members
	Links   int  // links, devices and the like
	Hidden  int  // names with a part that begins with a dot, and __MACOSX: what a directory's listing leaves out, too
	Outside int  // names that lead out of the archive, or are none
	Doubles int  // names that a member before has
}

// String says what was left out; nothing for nothing.
func (l Left) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{l.Links, "links or devices"}, {l.Hidden, "hidden names"}, {l.Outside, "names that lead out of it, or are none"}, {l.Doubles, "names that occurred before"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if l.More {
		parts = append(parts, "members beyond MaxArchiveMembers")
	}
	return strings.Join(parts, ", ")
}

// Open reads the list of members. temp makes the temporary file to which a tar.gz is unpacked.
func Open(ctx context.Context, file io.ReaderAt, size int64, kind Kind, limits Limits, temp func() (*os.File, error)) (*Archive, error) {
	if limits.Unpacked <= 0 {
		limits.Unpacked = Bound(size)
	}
	switch kind {
	case Zip:
		return openZip(ctx, file, size, limits)
	case Tar:
		return openTar(ctx, file, size, limits)
	case TarGz:
		return openTarGz(ctx, file, size, limits, temp)
	}
	return nil, fmt.Errorf("%w: unknown format", ErrBroken)
}

// Open opens a member. It returns at most Size bytes; an error about what they are wraps ErrBroken.
func (a *Archive) Open(i int) (io.ReadCloser, error) {
	m := &a.Members[i]
	if m.Err != nil {
		return nil, m.Err
	}
	in, err := m.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return &member{in: in, left: m.Size}, nil
}

// member reads a member that is not longer than its header says.
type member struct {
	in   io.ReadCloser
	left int64
}

func (m *member) Read(p []byte) (int, error) {
	n, err := m.in.Read(p)
	if m.left -= int64(n); m.left < 0 {
		return 0, fmt.Errorf("%w: a member is longer than its header says", ErrBroken)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return n, err
}

func (m *member) Close() error { return m.in.Close() }

// list collects members by the rules for names.
type list struct {
	*Archive
	limits  Limits
	known   map[string]bool
	left    int64 // bytes that may still be unpacked
	headers int
}

func newList(file io.ReaderAt, limits Limits) *list {
	return &list{Archive: &Archive{file: file}, limits: limits, known: make(map[string]bool), left: limits.Unpacked}
}

// add adds a file, unless its name or its number leaves it out. It returns false when no further one is wanted.
func (l *list) add(m Member) (more bool, err error) {
	if l.left -= m.Size; m.Size < 0 || l.left < 0 {
		return false, fmt.Errorf("%w: more than %d bytes when unpacked (a bomb)", ErrBroken, l.limits.Unpacked)
	}
	name, ok := cleanName(m.Name)
	switch {
	case !ok:
		l.Left.Outside++
	case isHidden(name):
		l.Left.Hidden++
	case l.known[name]:
		l.Left.Doubles++
	case len(l.Members) >= l.limits.Members:
		l.Left.More = true
		return false, nil
	default:
		m.Name, l.known[name] = name, true
		l.Members = append(l.Members, m)
	}
	return l.counts(), nil
}

// counts counts a header. It returns false after very many that list no member.
func (l *list) counts() bool {
	l.headers++
	if l.headers > mostHeaders*l.limits.Members {
		l.Left.More = true
		return false
	}
	return true
}

// cleanName returns a name as a path below the archive. One that is absolute or leads out is none.
func cleanName(name string) (string, bool) {
	name = strings.ReplaceAll(name, `\`, "/")
	if !utf8.ValidString(name) {
		decoded, err := charmap.CodePage437.NewDecoder().String(name)
		if err != nil {
			return "", false
		}
		name = decoded
	}
	if name == "" || len(name) > longestName || strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':' || strings.ContainsFunc(name, isControl) {
		return "", false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", false
		}
	}
	name = path.Clean(name)
	return name, name != "."
}

// isHidden reports whether a part of a clean name begins with a dot, or its first part is the folder that macOS adds for the attributes of
// files.
func isHidden(name string) bool {
	return name[0] == '.' || strings.Contains(name, "/.") || strings.HasPrefix(name, "__MACOSX/")
}

// dated returns the time of a member, zero if that is none. Programs that keep no times write the first day of the format.
func dated(t, first time.Time) time.Time {
	if t.Before(first.AddDate(0, 0, 1)) {
		return time.Time{}
	}
	return t
}

func isControl(r rune) bool { return r < ' ' || r == 0x7F }
