package config

import (
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Header is a header of all requests.
type Header struct {
	Name, Value string // the name in its canonical form
}

// ownHeaders are the headers that the program decides itself, each with what to write instead.
var ownHeaders = map[string]string{
	"Authorization":   "write AuthBasic user:password in sets.cnf, above the site's Server line",
	"Cookie":          "cookies are not sent; a site that needs a login has AuthBasic in sets.cnf",
	"Host":            "it is the host of the Server line in sets.cnf",
	"Range":           "documents are fetched whole; MaxTextSize and MaxOtherSize say how much is read",
	"Accept-Encoding": "gzip and deflate are asked for and undone by the program",
	"User-Agent":      "write UserAgent in this file",
	"Accept-Charset":  "write Charset in sets.cnf, for pages that declare none",
}

// hopHeaders belong to the connection.
var hopHeaders = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding",
	"Upgrade", "Expect", "Max-Forwards", "Via", "Http2-Settings",
}

// maxHeaders and maxHeader bound what a request has in addition; servers refuse more than some 8 KB.
const (
	maxHeaders = 20
	maxHeader  = 1000
)

// setHTTPHeader reads "name: value". The value ends with the line and needs no quotes.
func setHTTPHeader(s *Spider, d directive) error {
	text := strings.TrimSpace(strings.Join(d.args, " "))
	if text == "" {
		return reasonf("a value is missing, as in HTTPHeader Accept-Language: de, en;q=0.5")
	}
	name, value, ok := strings.Cut(text, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || !httpguts.ValidHeaderFieldName(name) {
		return reasonf("expected a name, a colon and a value, as in HTTPHeader Accept-Language: de, en;q=0.5") // the value may be a secret
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	if why := refusedHeader(name); why != "" {
		return reasonf("%s cannot be set: %s", name, why)
	}
	switch {
	case value == "" || !httpguts.ValidHeaderFieldValue(value) || !isASCII(value):
		return reasonf("the value of %s is empty or has characters that are not allowed in a header", name)
	case len(name)+len(value) > maxHeader:
		return reasonf("%s is longer than %d bytes", name, maxHeader)
	case len(s.Headers) == maxHeaders:
		return reasonf("more than %d lines", maxHeaders)
	}
	for i := range s.Headers {
		if s.Headers[i].Name == name {
			return reasonf("%s is set twice; write all its values into one line, with commas between them", name)
		}
	}
	s.Headers = append(s.Headers, Header{name, value})
	return nil
}

// refusedHeader returns why a header cannot be set, empty when it can.
func refusedHeader(name string) string {
	if why := ownHeaders[name]; why != "" {
		return why
	}
	switch {
	case strings.HasPrefix(name, "Content-"):
		return "requests have no content"
	case strings.HasPrefix(name, "If-"):
		return "requests are conditional when there is something to compare with; write ForceRecrawl in sets.cnf for unconditional ones"
	case strings.HasPrefix(name, "Sec-"):
		return "only browsers send it"
	}
	if slices.Contains(hopHeaders, name) {
		return "it belongs to the connection"
	}
	return ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] > '~' {
			return false
		}
	}
	return true
}
