package spider

import (
	"time"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Extended status numbers that the spider gives itself; those of a fetch are in status.go.
const (
	statusRemoved           = -4  // not asked: the operator removes it
	statusKeptLongEnough    = -3  // not asked: its content was kept for LostPeriod
	statusOrphaned          = -2  // not asked: no link reaches it
	statusPurged            = -1  // not asked: it was lost too often
	statusAllowedAgain      = 0   // not asked yet: a URL that was taken out may come back
	statusNotIndexed        = 406 // of a URL that is not to be indexed (outcome.excluded); a server may answer it, too
	statusRobotsForbidden   = 900
	statusConfigForbidden   = 901
	statusRobotsUnavailable = 902
	statusDuplicate         = 903
	statusPaused            = 904
	statusSoft404           = 905
	statusCanonical         = crawl.StatusCanonical  // 906: the page is united with its canonical page
	statusPrivate           = filetree.StatusPrivate // 908
	statusNoFile            = filetree.StatusNoFile  // 909
)

// outcome is the result of one attempt: the conditions of the transition table and the data that its
// actions need. It is complete before the document transaction begins.
type outcome struct {
	due    *crawl.Due
	status int // extended status of the answer; 406 when the page is excluded
	answer *fetch.Answer
	server *Server
	forced bool  // -m, ForceRecrawl
	manual bool  // index -T: asked for, whether due or not
	pace   int   // 1 = CrawlFrequently, -1 = CrawlInfrequently
	start  int64 // of the run, epoch seconds
	cause  string
	opt    *Options

	refused refusal // whether the host refused the request
	again   bool    // it did, and the URL stays due in this run

	became int         // plain status of the URL after its transaction
	twin   store.URLID // the document with the same body, when it became a clone or an original

	banHeld bool // robots.txt forbids it, and takes nothing out yet
	settled bool // decided without an attempt
	purge   int  // what the status of a purged document becomes

	removeForGood bool // with statusRemoved: it stays out until it is asked for by name

	// excluded says that a page was received, but is not to be indexed: noindex, Index no, CheckOnly.
	excluded bool

	tag    int  // what X-Robots-Tag says of the version, as bits of its indexing mode; noindex also after its date has passed
	headed bool // the answer is that of a HEAD (HeadFirst), with all its headers

	// unavailable is the time from which the page is treated like one with noindex, by header or META robots (unavailable_after).
	// headerTag and headerDate come from the header alone.
	unavailable, headerDate time.Time
	headerTag               int

	// A body that was read.
	read       bool
	repeated   bool // not read: so many documents have it that T-14 will discard it
	crc        string
	doc        *document.Document
	words      []byte // packed
	content    content
	sparesText bool   // nothing here converts the type, which another machine or program did: the stored text stays
	packed     []byte // content.body
	links      []store.URLID
	found      *foundLinks // links that the recorder registers; nil when it has, or need not
	// fromStore says that the body is the stored one: the answer was a 304.
	fromStore bool

	claim claim // its canonical page

	dateRead bool      // the content was read for its date by the rules
	dated    time.Time // that date; zero for none

	// A redirect, or the canonical page of a page that is united with it without an attempt.
	target  store.URLID // 0 when it is filtered
	tooMany bool        // index -T: with it too many of the site's documents would redirect
	waits   string      // why it is not carried out yet

	// A document that was taken out and comes back with its stored contents; nil when nothing is stored.
	kept *crawl.Kept

	// An unchanged document whose links were read again under new rules.
	relinked bool

	linksHash []byte // of today's rules, when links were read

	// A document that may leave a clone group which it is the original of.
	successor store.URLID // the clone that becomes the original, 0 for none
	promoted  crawl.PromotedContent
}

// exclude makes the outcome that of a page which is not to be indexed.
func (o *outcome) exclude() { o.status, o.excluded = statusNotIndexed, true }

// mode returns the indexing mode of the version that was received.
func (o *outcome) mode() int { return o.server.mode() | o.server.reading(o.due.URL) | o.tag }

// saysNoIndex reports whether the page itself forbids its words, by META robots or by its header.
func (o *outcome) saysNoIndex() bool {
	return o.doc != nil && o.doc.NoIndex || o.tag&modeTagNoIndex != 0
}

// truncated reports whether only the beginning of the body was read.
func (o *outcome) truncated() bool {
	return o.answer.Truncated || o.content.truncated || o.doc.Truncated
}

// faulty returns the outcome of a document that the program cannot process.
func (v *visit) faulty(cause error) *outcome {
	return &outcome{
		due: v.due, server: v.server, status: fetch.StatusParserFailed, cause: cause.Error(),
		manual: v.c.realtime != nil, opt: &v.c.o, start: v.c.start,
	}
}

// title returns the title of a document that was read. A plain text without a line that could be one, and what was converted to a
// page without a title, have the name of the file.
func (o *outcome) title() string {
	if o.doc.Title == "" && (o.content.converted || media(o.content.readAs) == "text/plain") {
		return cutRunes(fileName(o.due.URL), document.TitleLimit)
	}
	return o.doc.Title
}

// cutRunes returns the first characters of a text.
func cutRunes(s string, n int) string {
	s = fetch.ValidText(s, len(s)*utf8.UTFMax)
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// id returns the id of the URL that was attempted.
func (o *outcome) id() store.URLID { return o.due.ID }

// bytes returns the bytes of body that the attempt received.
func (o *outcome) bytes() int64 {
	if o.answer == nil {
		return 0
	}
	return o.answer.WireBytes
}

// elapsed returns the duration of the attempt.
func (o *outcome) elapsed() time.Duration {
	if o.answer == nil {
		return 0
	}
	return o.answer.Elapsed
}
