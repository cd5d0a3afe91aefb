package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
)

const (
	// maxHeaderText bounds the part of a header that is stored, in bytes: the width of its column.
	maxHeaderText = 255

	// maxRetryAfter is the longest that a host may ask us to wait (B33).
	maxRetryAfter = 24 * time.Hour
)

// extensions maps the extension of a URL to a type, for answers without one (B22). The tables of the
// operating system are not used: the same site must give the same index everywhere.
var extensions = map[string]string{
	"htm": "text/html", "html": "text/html", "shtml": "text/html", "xhtml": "application/xhtml+xml", "xht": "application/xhtml+xml",
	"txt": "text/plain", "text": "text/plain", "asc": "text/plain", "md": "text/markdown", "csv": "text/csv", "css": "text/css",
	"xml": "application/xml", "rss": "application/rss+xml", "atom": "application/atom+xml", "json": "application/json",
	"js": "text/javascript", "mjs": "text/javascript", "rtf": "application/rtf", "ps": "application/postscript",
	"pdf": "application/pdf", "doc": "application/msword", "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
	"docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	"pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	"odt":  "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet",
	"odp": "application/vnd.oasis.opendocument.presentation", "markdown": "text/markdown", "tsv": "text/tab-separated-values",
	"jsonl": "application/x-ndjson", "ndjson": "application/x-ndjson", "epub": "application/epub+zip",
	"gif": "image/gif", "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "svg": "image/svg+xml", "webp": "image/webp",
	"ico": "image/vnd.microsoft.icon", "mp3": "audio/mpeg", "ogg": "audio/ogg", "mp4": "video/mp4", "webm": "video/webm",
	"gz": "application/gzip", "tgz": "application/gzip", "zip": "application/zip", "tar": "application/x-tar", "bz2": "application/x-bzip2",
}

// TypeOf returns the type of an extension, which has no dot and is in lower case; empty for an unknown one.
func TypeOf(extension string) string { return extensions[extension] }

// octetStream is the type that servers send for files whose type they do not know.
const octetStream = "application/octet-stream"

// saysNothing are types in a header that name none: the URL's extension and the body are asked as without a header. The first
// three are those that browsers sniff, too (the standard on MIME sniffing, section 7).
var saysNothing = map[string]bool{"*/*": true, "unknown/unknown": true, "application/unknown": true, octetStream: true}

// announcedType returns the type of an answer before its body is read: the header's, with its parameters,
// else that of the URL's extension, else none. A header that names no type counts as none.
func announcedType(header, rawURL string) string {
	header = strings.TrimSpace(ValidText(header, len(header)*utf8.UTFMax))
	if name := mediaType(header); name != "" && !saysNothing[name] {
		return ValidText(header, maxHeaderText)
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return ""
	}
	return extensions[strings.ToLower(strings.TrimPrefix(path.Ext(u.Path), "."))]
}

// mediaType is a type without parameters, in lower case; empty when it is none.
func mediaType(contentType string) string {
	name, _, _ := strings.Cut(contentType, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	major, minor, _ := strings.Cut(name, "/")
	if len(name) > maxHeaderText || !httpguts.ValidHeaderFieldName(major) || !httpguts.ValidHeaderFieldName(minor) {
		return ""
	}
	return name
}

// isText reports whether a type is text, of which a part is useful: it is truncated at its limit instead of
// refused.
func isText(contentType string) bool {
	name := mediaType(contentType)
	return strings.HasPrefix(name, "text/") || name == "application/xhtml+xml"
}

// validator returns an ETag or Last-Modified as it is stored. One that is too long or not UTF-8 is dropped: cut
// off or repaired, it would never match.
func validator(s string) string {
	if len(s) > maxHeaderText || ValidText(s, len(s)) != s {
		return ""
	}
	return s
}

// escaped returns a Location whose bytes above 7F are escaped when they are not UTF-8. Old servers send Latin-1,
// and mean the page that these very bytes name.
func escaped(location string) string {
	if utf8.ValidString(location) {
		return location
	}
	var b strings.Builder
	for _, c := range []byte(location) {
		if c < utf8.RuneSelf {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// ValidText makes a string of the web fit for a text column (B1), and cuts it to a number of bytes.
func ValidText(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// httpDate reads a date of HTTP in any of its three forms; zero when it is none (B33).
func httpDate(s string) time.Time {
	if s = strings.TrimSpace(s); s == "" { // most answers; ParseTime makes three errors of it
		return time.Time{}
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// retryAfter reads a Retry-After, in seconds or as a date. The result is between 0, also for a bad one, and
// a day (B33).
func retryAfter(s string, now time.Time) time.Duration {
	s = strings.TrimSpace(s)
	var wait time.Duration
	if digits := strings.TrimLeft(s, "0123456789"); s != "" && digits == "" {
		seconds, err := strconv.ParseInt(s, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		wait = time.Duration(seconds) * time.Second
	} else if at := httpDate(s); !at.IsZero() {
		wait = at.Sub(now)
	}
	return min(max(0, wait), maxRetryAfter)
}
