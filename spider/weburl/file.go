package weburl

import (
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// URLs of files: file:///srv/docs/a%20b.txt. They have no host, and their site is FileSite. A path is a run of bytes. In the normal
// form every byte beyond a fixed set is percent-encoded, so that each file has one URL, whatever its name is. A query names
// nothing and is left out, except for the part of a long listing (?part=2). Only FilePath, Typed and the links of a page that is a
// file itself give such URLs: a link of the Web never leads to a file.

// FileSite is the site of all files.
const FileSite = "file:///"

// fileHostInfo is the HostInfo of all files.
const fileHostInfo = "file"

// IsFile reports whether a URL names a file.
func (u URL) IsFile() bool { return u.Site == FileSite }

// IsDirectory reports whether a URL names the listing of a directory, or a part of it.
func (u URL) IsDirectory() bool { return u.IsFile() && strings.HasSuffix(u.path(), "/") }

// path returns the path of a file without the part of a listing.
func (u URL) path() string {
	path, _, _ := strings.Cut(u.Path, "?")
	return path
}

// FilePath returns the path of a file in the file system, with a slash at the end for a directory.
func (u URL) FilePath() string {
	path, err := unescapePath(u.path())
	if err != nil {
		return u.path()
	}
	return path
}

// Typed is Normalize for what an operator wrote: a URL of the Web, or a file URL.
func Typed(raw string, maxLen int) (URL, error) {
	if strings.EqualFold(schemeOf(raw), "file") {
		return resolveFile(nil, cutFragment(raw), orDefault(maxLen))
	}
	return Normalize(raw, maxLen)
}

// File returns the URL of an absolute path in the file system.
func File(path string) URL { return splitFile("file://" + EscapePath(path)) }

// resolveFile resolves a reference of a file, or an absolute file URL when base is nil.
func resolveFile(base *whatwg.Url, raw string, maxLen int) (URL, error) {
	if scheme := schemeOf(raw); scheme != "" && !strings.EqualFold(scheme, "file") {
		return resolve(base, raw, maxLen)
	}
	if len(raw) > maxShrink*maxLen {
		return URL{}, tooLong(maxLen)
	}
	u, err := parser.BasicParser(raw, base, nil, whatwg.NoState)
	if err != nil {
		return URL{}, classify(err)
	}
	if u.Hostname() != "" {
		return URL{}, fmt.Errorf("%w: a file URL has none; write file:///path", ErrHost)
	}
	path, err := unescapePath(u.Pathname())
	if err != nil {
		return URL{}, err
	}
	text := "file://" + EscapePath(path)
	if part := u.Search(); strings.HasSuffix(text, "/") && isPart(part) {
		text += part
	}
	if len(text) > maxLen {
		return URL{}, tooLong(maxLen)
	}
	return splitFile(text), nil
}

// splitFile fills the URL of a normalized text.
func splitFile(text string) URL { return split(text, len("file://"), "", false) }

// isPart reports whether a query names a part of a listing: the second or a later one.
func isPart(query string) bool {
	n, ok := strings.CutPrefix(query, "?part=")
	return ok && n != "" && len(n) <= 6 && n[0] != '0' && n != "1" && strings.Trim(n, "0123456789") == ""
}

// unescapePath decodes the path of a file URL. An escaped slash or NUL is in no file's name.
func unescapePath(path string) (string, error) {
	out := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) && IsHex(path[i+1]) && IsHex(path[i+2]) {
			c = unhex(path[i+1])<<4 | unhex(path[i+2])
			i += 2
			if c == '/' || c == 0 {
				return "", fmt.Errorf("%w: a name of a file has no %%%02X", ErrSyntax, c)
			}
		}
		if c == '/' && len(out) > 0 && out[len(out)-1] == '/' { // several slashes are one
			continue
		}
		out = append(out, c)
	}
	return string(out), nil
}

// EscapePath writes the bytes of a path as in the normal form of file URLs.
func EscapePath(path string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(path))
	for i := range len(path) {
		if c := path[i]; class[c]&inPath != 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	}
	return c - 'a' + 10
}
