package program

import (
	"cmp"
	"fmt"
	"strings"
)

// replace puts a value in the place of a name such as $in in an argument. A name that a letter or a digit follows is another one. was
// is returned as true when the name is there.
func replace(arg, name, value string, was bool) (string, bool) {
	var b strings.Builder
	for {
		at := strings.Index(arg, name)
		if at < 0 {
			b.WriteString(arg)
			return b.String(), was
		}
		end := at + len(name)
		b.WriteString(arg[:at])
		if end < len(arg) && isWord(arg[end]) {
			b.WriteString(name)
		} else {
			b.WriteString(value)
			was = true
		}
		arg = arg[end:]
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// safeURL returns a URL that is an argument and nothing else: it begins with its scheme, never with a dash, and has no
// character that a shell or a printing function would read as its own.
func safeURL(url string) string {
	if i := strings.IndexByte(url, ':'); i <= 0 || !isWord(url[0]) {
		return "about:blank"
	}
	var b strings.Builder
	for _, c := range []byte(url) {
		if isWord(c) || strings.IndexByte("-.~:/?#[]@!&*+,;=%", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// maxName bounds a file name, in bytes.
const maxName = 64

// fileName returns a document's name as that of a file: it begins with a letter or a digit, and is never taken for an option.
func fileName(name string) string {
	b := []byte(name)
	for i, c := range b {
		if !isWord(c) && c != '.' && c != '-' {
			b[i] = '-'
		}
	}
	name = strings.Trim(string(b), "-._")
	if dot := strings.LastIndexByte(name, '.'); len(name) > maxName && dot >= len(name)-8 {
		name = name[:maxName-8] + name[dot:]
	}
	return cmp.Or(name[:min(len(name), maxName)], "in")
}

// extension returns the suffix of an output file.
func extension(mediaType string) string {
	switch mediaType {
	case "text/html":
		return ".html"
	case "text/plain":
		return ".txt"
	case "application/pdf":
		return ".pdf"
	}
	return ""
}
