package weburl

import "strings"

// Nearly all links of real pages are in normal form already, or are a plain path relative to a page that is.
// This file recognises those; whatever it is not sure of goes the whole way. A fuzz test holds the two
// together.

// The classes of characters that are kept as they are.
const (
	inPath = 1 << iota
	inQuery
	inHost      // RFC 3986 reg-name, in lower case
	inPlainHost // of a host that needs no thought
)

var class = func() (t [256]byte) {
	set := func(s string, bits byte) {
		for i := range len(s) {
			t[s[i]] |= bits
		}
	}
	const lower, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	set(lower+digits, inPath|inQuery|inHost|inPlainHost)
	set("ABCDEFGHIJKLMNOPQRSTUVWXYZ", inPath|inQuery)
	set("-_", inPath|inQuery|inHost|inPlainHost)
	set(".", inPath|inQuery|inHost)
	set("~!$&()*+,;=", inPath|inQuery|inHost)
	set("'", inPath|inHost)
	set(":@/", inPath|inQuery)
	set("?", inQuery)
	return t
}()

// fast resolves an href without fragment when it is in the plain form; ok false sends it the whole way. It
// allocates the new text at most; site and host are the base's.
func (r *Resolver) fast(href string) (u URL, ok bool) {
	if href == "" {
		return r.base, true
	}
	var (
		end  int // of what is taken from the base
		rest = href
	)
	switch {
	case href[0] == '?':
		if !isPlain(href, '?') {
			return URL{}, false
		}
		return r.join(r.path, href), true
	case href[0] == '/':
		if strings.HasPrefix(href, "//") {
			return URL{}, false
		}
		end, rest = len(r.base.Site), href[1:]
	case strings.HasPrefix(href, "http"):
		if u, ok = plainURL(href); ok && u.Site == r.base.Site {
			u.Site, u.Host, u.HostInfo = r.base.Site, r.base.Host, r.base.HostInfo
		}
		if ok || !isRelative(href) {
			return u, ok
		}
		end = r.dir
	case !isRelative(href):
		return URL{}, false
	default:
		end, rest = r.climb(href)
	}
	if !isPlain(rest, '/') {
		return URL{}, false
	}
	return r.join(end, rest), true
}

// climb follows the dot segments that a relative href begins with: what stays of the base's text, and the rest.
func (r *Resolver) climb(href string) (end int, rest string) {
	end, rest = r.dir, href
	for {
		switch {
		case rest == "." || strings.HasPrefix(rest, "./"):
			rest = rest[1:]
		case rest == ".." || strings.HasPrefix(rest, "../"):
			if end > len(r.base.Site) { // the root is its own parent
				end = strings.LastIndexByte(r.base.Text[:end-1], '/') + 1
			}
			rest = rest[2:]
		default:
			return end, rest
		}
		rest = strings.TrimPrefix(rest, "/")
	}
}

// join puts the first end bytes of the base and the rest together.
func (r *Resolver) join(end int, rest string) URL {
	u := r.base
	if u.Text = u.Text[:end]; rest != "" {
		u.Text += rest
	}
	u.Path = u.Text[len(u.Site)-1:]
	return u
}

// isRelative reports whether a reference begins without a scheme.
func isRelative(href string) bool {
	i := strings.IndexAny(href, ":/?")
	return i < 0 || href[i] != ':'
}

// isPlain reports whether a part of a URL, which follows the character before, is in normal form: '/' a path
// with what follows it, '?' the query with its question mark.
func isPlain(s string, before byte) bool {
	part := byte(inPath)
	if before == '?' {
		part, s = inQuery, s[1:]
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%':
			if i+2 >= len(s) || !IsHex(s[i+1]) || !IsHex(s[i+2]) || s[i+1] >= 'a' || s[i+2] >= 'a' {
				return false
			}
			if part == inPath && s[i+1] == '2' && s[i+2] == 'E' { // a dot that may make a dot segment
				return false
			}
			i += 2
			c = s[i]
		case c == '?' && part == inPath:
			part = inQuery
		case class[c]&part == 0:
			return false
		case c == '.' && before == '/' && part == inPath:
			if i+1 == len(s) || s[i+1] == '/' || s[i+1] == '.' || s[i+1] == '?' || s[i+1] == '%' {
				return false
			}
		}
		before = c
	}
	return true
}

// plainURL returns an absolute URL without fragment that is in normal form already.
func plainURL(raw string) (u URL, ok bool) {
	var start int
	switch {
	case strings.HasPrefix(raw, "http://"):
		start = len("http://")
	case strings.HasPrefix(raw, "https://"):
		start = len("https://")
	default:
		return URL{}, false
	}
	n := strings.IndexByte(raw[start:], '/')
	if n < 0 || !isPlain(raw[start+n+1:], '/') {
		return URL{}, false
	}
	host, port, hasPort := strings.Cut(raw[start:start+n], ":")
	if !isPlainHost(host) || hasPort && !isPlainPort(port, start) {
		return URL{}, false
	}
	text := strings.Clone(raw) // hrefs are parts of a page, whose memory a kept URL must not hold
	return split(text, start+n, text[start:start+len(host)], hasPort), true
}

// isPlainPort reports whether a port is written as it stays: no leading zero, below 10000, not the default of
// the scheme, which begins start bytes before the host.
func isPlainPort(port string, start int) bool {
	if port == "" || len(port) > 4 || port[0] == '0' || strings.Trim(port, "0123456789") != "" {
		return false
	}
	return port != "80" && port != "443" || (port == "443") == (start == len("http://"))
}

// isPlainHost reports whether a host is a name that needs neither mapping nor checking: no address, no A-label.
func isPlainHost(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	label := 0 // where it begins
	for i := range len(host) + 1 {
		if i < len(host) && host[i] != '.' {
			if class[host[i]]&inPlainHost == 0 || host[i] == '-' && i == label+3 {
				return false
			}
			continue
		}
		if i == label || i-label > 63 {
			return false
		}
		if i < len(host) {
			label = i + 1
		}
	}
	return host[label] >= 'a' && host[label] <= 'z' // else the whole may be an IPv4 address
}
