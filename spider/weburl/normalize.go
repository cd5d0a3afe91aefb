package weburl

import (
	"errors"
	"fmt"
	"strings"

	urlerrors "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// DefaultMaxLength is the longest normalized URL in bytes unless MaxURLLength says otherwise (B6).
const DefaultMaxLength = 2048

// What can be wrong with a URL. The errors of Normalize and Resolve wrap one of them; their texts never hold
// the URL, which may hold a password.
var (
	ErrScheme  = errors.New("neither http nor https") // B10
	ErrTooLong = errors.New("too long")               // B6
	ErrHost    = errors.New("bad host")               // B11, B12
	ErrPort    = errors.New("bad port")               // B11
	ErrSyntax  = errors.New("not an absolute URL")
)

// URL is a URL in the safe normal form: equal texts are one row. Its strings may share memory.
type URL struct {
	Text     string // without userinfo and fragment
	Site     string // "http://host[:port]/", as in sites.site
	Host     string // without the port, IPv6 in brackets
	HostInfo string // "host" for port 80 of http, else "host:port"; "file" for files, which have no host
	Path     string // path and query as they are sent, what robots.txt is asked about
}

// parser follows the rules of browsers (B7). Of that module only the parser is used: its canonicalizers
// decode reserved characters and join slashes, which makes other URLs of them.
var parser = whatwg.NewParser()

// Normalize returns the normal form of an absolute http or https URL, of at most maxLen bytes (0: 2048).
// Normalizing it again changes nothing. Beyond the rules of browsers it removes userinfo (B9) and fragment
// (B13), writes the digits of percent-escapes in capitals (B8), and rejects ports and hosts that nothing
// can connect to (B11, B12).
func Normalize(raw string, maxLen int) (URL, error) {
	raw, maxLen = cutFragment(raw), orDefault(maxLen)
	if u, ok := plainURL(strings.TrimSuffix(raw, "#")); ok && len(u.Text) <= maxLen {
		return u, nil
	}
	return resolve(nil, raw, maxLen)
}

// ParseNormalized finds the parts of a URL of the tables, which is in normal form already.
func ParseNormalized(text string) (URL, error) {
	scheme := strings.Index(text, "://")
	if scheme < 0 {
		return URL{}, ErrSyntax
	}
	start := scheme + len("://")
	end := strings.IndexByte(text[start:], '/')
	if end < 0 {
		return URL{}, ErrSyntax
	}
	host := text[start : start+end]
	port := strings.LastIndexByte(host, ':')
	hasPort := port > strings.LastIndexByte(host, ']')
	if hasPort {
		host = host[:port]
	}
	return split(text, start+end, host, hasPort), nil
}

func orDefault(maxLen int) int {
	if maxLen <= 0 {
		return DefaultMaxLength
	}
	return maxLen
}

// Resolver turns the links of one page into URLs. It is not safe for concurrent use.
type Resolver struct {
	base   URL
	maxLen int
	path   int          // end of the base's path in its text
	dir    int          // end of the last slash of that path
	parsed *whatwg.Url  // the base for the slow path, when it was needed
	query  *pageEncoder // nil for UTF-8
}

// NewResolver returns a resolver for the links of a page with a <base href> (empty: none). A bad base is
// ignored (B26). maxLen bounds the resolved URLs as in Normalize.
func NewResolver(page URL, baseHref string, maxLen int) *Resolver {
	return NewResolverIn(page, baseHref, "", maxLen)
}

// NewResolverIn is NewResolver for a page in a charset, by its WHATWG name: the queries of its links are written in it.
func NewResolverIn(page URL, baseHref, charset string, maxLen int) *Resolver {
	r := newResolver(page, orDefault(maxLen))
	r.query = encoderOf(charset)
	if baseHref != "" {
		if base, err := r.Resolve(baseHref); err == nil {
			query := r.query
			r = newResolver(base, r.maxLen)
			r.query = query
		}
	}
	return r
}

func newResolver(base URL, maxLen int) *Resolver {
	r := &Resolver{base: base, maxLen: maxLen, path: len(base.Text)}
	if q := strings.IndexByte(base.Text, '?'); q >= 0 {
		r.path = q
	}
	r.dir = strings.LastIndexByte(base.Text[:r.path], '/') + 1
	return r
}

// Resolve returns the URL that an href of the page leads to.
func (r *Resolver) Resolve(href string) (URL, error) {
	href = cutFragment(href)
	if r.base.IsFile() {
		return r.file(href)
	}
	if u, ok := r.fast(strings.TrimSuffix(href, "#")); ok {
		if len(u.Text) > r.maxLen {
			return URL{}, tooLong(r.maxLen)
		}
		return u, nil
	}
	if r.query != nil {
		href = r.query.query(href)
	}
	return r.slow(href)
}

func (r *Resolver) slow(href string) (URL, error) {
	if r.parsed == nil {
		base, err := parser.Parse(r.base.Text)
		if err != nil {
			return URL{}, classify(err)
		}
		r.parsed = base
	}
	return resolve(r.parsed, href, r.maxLen)
}

// file resolves a reference of a page that is a file. Of the Web it may lead anywhere.
func (r *Resolver) file(href string) (URL, error) {
	if u, ok := plainURL(strings.TrimSuffix(href, "#")); ok && len(u.Text) <= r.maxLen {
		return u, nil
	}
	if r.parsed == nil {
		base, err := parser.Parse(r.base.Text)
		if err != nil {
			return URL{}, classify(err)
		}
		r.parsed = base
	}
	return resolveFile(r.parsed, href, r.maxLen)
}

// cutFragment takes away what follows the first number sign, which always begins the fragment. The sign
// stays: without it a space before it would be taken for one at the end.
func cutFragment(raw string) string {
	if i := strings.IndexByte(raw, '#'); i >= 0 {
		return raw[:i+1]
	}
	return raw
}

// maxShrink is how many times longer than its normal form a URL may be written. The parser takes quadratic
// time for some, and nothing but an attack writes kilobytes of dot segments.
const maxShrink = 8

// resolve is the whole way, for every URL; base nil asks for an absolute one.
func resolve(base *whatwg.Url, raw string, maxLen int) (URL, error) {
	if scheme := schemeOf(raw); scheme != "" && !isHTTP(scheme) {
		return URL{}, ErrScheme // before its length: a data: URL is long, and not worth parsing
	}
	if len(raw) > maxShrink*maxLen {
		return URL{}, tooLong(maxLen)
	}
	u, err := parser.BasicParser(raw, base, nil, whatwg.NoState)
	if err != nil {
		return URL{}, classify(err)
	}
	if !isHTTP(strings.TrimSuffix(u.Protocol(), ":")) {
		return URL{}, ErrScheme
	}
	return build(u, maxLen)
}

// build checks what the rules of browsers let pass and puts the normal form together.
func build(u *whatwg.Url, maxLen int) (URL, error) {
	host, port := u.Hostname(), u.Port()
	if port == "0" {
		return URL{}, fmt.Errorf("%w: 0", ErrPort)
	}
	if err := checkHost(host); err != nil {
		return URL{}, err
	}
	u.SetUsername("")
	u.SetPassword("")
	text := u.Href(true)
	site := u.Protocol() + "//" + u.Host()
	text = site + capitalEscapes(text[len(site):])
	if len(text) > maxLen {
		return URL{}, tooLong(maxLen)
	}
	return split(text, len(site), host, port != ""), nil
}

// split fills a URL whose site ends, without its slash, at end.
func split(text string, end int, host string, hasPort bool) URL {
	u := URL{Text: text, Site: text[:end+1], Host: host, Path: text[end:]}
	u.HostInfo = text[strings.IndexByte(text, '/')+2 : end]
	switch {
	case u.Site == FileSite:
		u.HostInfo = fileHostInfo
	case !hasPort && strings.HasPrefix(text, "https:"):
		u.HostInfo += ":443"
	}
	return u
}

// checkHost refuses hosts that no name service knows: labels that are empty or too long, and characters
// outside of RFC 3986's reg-name, which other software would read otherwise.
func checkHost(host string) error {
	if strings.HasPrefix(host, "[") || isPlainHost(host) {
		return nil
	}
	name := strings.TrimSuffix(host, ".")
	if len(name) > 253 {
		return fmt.Errorf("%w: longer than 253 characters", ErrHost)
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return fmt.Errorf("%w: label of %d characters", ErrHost, len(label))
		}
	}
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || class[c]&inHost == 0 {
			return fmt.Errorf("%w: forbidden character %q", ErrHost, c)
		}
	}
	// A-labels that decode to something that is written otherwise are two names for one host.
	if again, err := parser.Parse("http://" + host + "/"); err != nil || again.Hostname() != host {
		return fmt.Errorf("%w: invalid label", ErrHost)
	}
	return nil
}

// capitalEscapes writes the digits of percent-escapes in capitals (B8); everything else is kept.
func capitalEscapes(s string) string {
	var out []byte
	for i := 0; i+2 < len(s); i++ {
		if s[i] != '%' || !IsHex(s[i+1]) || !IsHex(s[i+2]) {
			continue
		}
		if s[i+1] >= 'a' || s[i+2] >= 'a' {
			if out == nil {
				out = []byte(s)
			}
			out[i+1], out[i+2] = upper(s[i+1]), upper(s[i+2])
		}
		i += 2
	}
	if out == nil {
		return s
	}
	return string(out)
}

func IsHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'A' && c <= 'F' || c >= 'a' && c <= 'f' }

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// schemeOf returns the scheme that a reference begins with, as written; empty when it has none.
func schemeOf(raw string) string {
	raw = strings.TrimLeftFunc(raw, func(c rune) bool { return c <= ' ' })
	for i := range len(raw) {
		switch c := raw[i]; {
		case c == ':':
			return raw[:i]
		case c|0x20 >= 'a' && c|0x20 <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return ""
		}
	}
	return ""
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

func tooLong(maxLen int) error { return fmt.Errorf("%w: more than %d bytes", ErrTooLong, maxLen) }

// classify gives a parser's error its sentinel.
func classify(err error) error {
	kind := urlerrors.Type(err)
	switch kind {
	case urlerrors.PortOutOfRange, urlerrors.PortInvalid, urlerrors.PortMissing:
		return fmt.Errorf("%w: %s", ErrPort, kind)
	case urlerrors.MissingSchemeNonRelativeURL, urlerrors.InvalidCredentials, urlerrors.InvalidURLUnit, "":
		return fmt.Errorf("%w: %s", ErrSyntax, kind)
	default:
		return fmt.Errorf("%w: %s", ErrHost, kind)
	}
}
