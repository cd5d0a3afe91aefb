package web

import (
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

// Maximum lengths in crumbs, in characters.
const (
	crumbLength  = 48
	crumbsLength = 110
)

// crumbs splits an address into the host and the parts of the path. Escapes are decoded if that gives
// printable characters, and long parts lose their middle. The result has at least one element; for an address
// that is no link it is the whole address.
func (x *catalog) crumbs(address string) []string {
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
