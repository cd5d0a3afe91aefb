package web

import (
	"html/template"
	"net/url"
	"strings"
	"unicode"
)

// webLink returns an address if it is http or https, else an empty string.
func webLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return address
}

// link returns an address to which a result may lead: one of the Web or, with FileLinks, a file.
func link(address string, files bool) template.URL {
	if _, ok := filePath(address); ok && files {
		return template.URL(address)
	}
	return template.URL(webLink(address))
}

// filePath returns the path of a file with its escapes decoded, segment by segment where that can be shown; ok is false for other
// addresses.
func filePath(address string) (segments []string, ok bool) {
	path, ok := strings.CutPrefix(address, "file:///")
	if !ok {
		return nil, false
	}
	for s := range strings.SplitSeq(path, "/") {
		text, err := url.PathUnescape(s)
		if err != nil || strings.ContainsFunc(text, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) || r == '/' }) {
			text = s
		}
		segments = append(segments, cut(plain(text), crumbLength))
	}
	return segments, true
}

// Maximum lengths in crumbs, in characters.
const (
	crumbLength  = 48
	crumbsLength = 110
)

// crumbs splits an address into the host and the parts of the path. Escapes are decoded if that gives
// printable characters, and long parts lose their middle. The result has at least one element; for a file it is the path, for another
// address that is no link the whole address.
func (x *catalog) crumbs(address string) []string {
	if path, ok := filePath(address); ok {
		return []string{"/" + strings.Join(shorten(path), "/")}
	}
	u, err := url.Parse(address)
	if webLink(address) == "" || err != nil {
		if text := cut(plain(address), crumbsLength); !unseen(text) {
			return []string{text}
		}
		return []string{x.say("hit.no_address")}
	}
	parts := []string{cut(plain(u.Host), 2*crumbLength)}
	for part := range strings.SplitSeq(u.EscapedPath(), "/") {
		if part != "" {
			parts = append(parts, crumb(part))
		}
	}
	if u.RawQuery != "" {
		query := "?" + crumb(u.RawQuery)
		if len(parts) == 1 {
			parts = append(parts, query)
		} else {
			parts[len(parts)-1] += query
		}
	}
	return shorten(parts)
}

// shorten leaves parts out behind the first one until the rest is short enough.
func shorten(parts []string) []string {
	length := 0
	for _, p := range parts {
		length += len([]rune(p))
	}
	for length > crumbsLength && len(parts) > 3 {
		length -= len([]rune(parts[1]))
		parts = append(parts[:1:1], parts[2:]...)
		if len(parts) == 3 || length <= crumbsLength {
			parts = append(parts[:1:1], append([]string{"…"}, parts[1:]...)...)
			break
		}
	}
	return parts
}

// crumb returns a part of an address with the escapes of printable characters decoded. The others stay, so
// that nobody sees a false blank, slash or change of direction.
func crumb(part string) string {
	text, err := url.PathUnescape(part)
	if err != nil || strings.ContainsFunc(text, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.IsPrint(r) || strings.ContainsRune(" /?#›", r)
	}) {
		text = part
	}
	return cut(plain(text), crumbLength)
}
