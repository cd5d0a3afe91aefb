package fetch

import (
	"io"
	"net/http"
	"os"
	"time"
)

// Options are the settings of a Fetcher. Sizes are bytes after content decoding; 0 means no byte.
type Options struct {
	UserAgent    string
	ReadTimeOut  time.Duration                 // of a whole fetch; 90 s when not positive
	MaxTextSize  int64                         // text/* and HTML are truncated beyond it
	MaxOtherSize int64                         // anything else is refused beyond it (804)
	IndexLimit   int64                         // bytes kept in Answer.Body
	Guard        *Guard                        // dials
	Readable     func(contentType string) bool // nil: every type is
	Files        http.RoundTripper             // answers file URLs; nil: there are none
	Headers      []Header                      // of all requests, in addition to ours
	Bandwidth    func(at time.Time) int64      // bytes a second for all fetches together, 0 = any number; nil = always

	// Spooled says of which types the whole body goes to a file that Spool makes, instead of to memory; nil: of none.
	Spooled func(contentType string) bool
	Spool   func() (*os.File, error)
}

// Header is a header of a request.
type Header struct{ Name, Value string }

// Request is one request to a site.
type Request struct {
	URL    string // normalized
	Method string // GET or HEAD; GET when empty

	// Conditions when not empty: If-None-Match, If-Modified-Since.
	ETag, LastModified string

	Auth   string // user:password, or empty
	Robots bool   // robots.txt: any type is read, 512,000 bytes are kept (B35)
	Fresh  bool   // on a connection of its own

	// Save gets the decoded body of a 200 when it is not nil, whatever its type: SaveLimit bytes of it at most. Answer.Body is
	// empty then. An error of Save ends the fetch as 802; the caller knows better.
	Save      io.Writer
	SaveLimit int64

	// Large is called once, before more than LargeBody bytes of a body are kept, when it is not nil. It may wait. Its error ends the fetch.
	Large func() error

	// Stored answers the request in place of the site, when it is not nil.
	Stored *Stored
}

// LargeBody is how many bytes of a body are kept without asking Request.Large.
const LargeBody = 256 << 10

// Answer is the result of a Request: the site's answer, or the reason why there is none. Nothing in it is
// decoded to characters.
type Answer struct {
	// Unheard says that the request went out on a connection that had been kept, and that this ended without
	// a byte of answer: perhaps the server had closed it before the request came. It may be asked again,
	// Fresh.
	Unheard bool

	Status int         // HTTP status as answered, or extended 600-899 (docs/reference/behavior.md, Status numbers)
	Header http.Header // as sent; nil without an answer

	// The body of a 200 to GET, decoded from its Content-Encoding; empty for everything else.
	Body      []byte   // at most IndexLimit bytes; the caller's
	File      *os.File // the whole body in place of Body, of a type that Options.Spooled names; else nil. Discard removes it
	CRC       string   // MD5, 32 hex digits, of the body up to MaxTextSize or MaxOtherSize; empty without a body
	Size      int64    // bytes: announced Content-Length if identity-encoded, else decoded bytes read
	Truncated bool     // over MaxTextSize or IndexLimit (B17)

	ContentType        string        // header, else URL extension, else sniffed, with parameters; UTF-8, at most 255 bytes
	Location           string        // as sent; bytes above 7F of one that is not UTF-8 are escaped
	ETag, LastModified string        // as sent, but UTF-8 without NUL; empty when over 255 bytes
	Expires            time.Time     // zero if absent or bad
	RetryAfter         time.Duration // 0 if absent or bad, at most 1 day (B33)

	Elapsed   time.Duration // from the first thought of a connection to the last byte
	WireBytes int64         // bytes of the body as they came over the wire
	Cause     string        // why Status is 600 or more, in at most 255 bytes
}
