package spider

import (
	"net/http"
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/robots"
	"golang.org/x/net/http/httpguts"
)

// robotsDirectives holds what an X-Robots-Tag header says of a document.
type robotsDirectives struct {
	noArchive, noSnippet, noIndex, noFollow bool

	unavailable time.Time // unavailable_after; zero for none
}

// mode returns the directives that decide what is read of a page, as bits of its indexing mode.
func (a robotsDirectives) mode() (mode int) {
	if a.noIndex {
		mode |= modeTagNoIndex
	}
	if a.noFollow {
		mode |= modeTagNoFollow
	}
	if !a.unavailable.IsZero() {
		mode |= modeTagDate
	}
	return mode
}

// robotsTag reads the X-Robots-Tag headers of an answer, for the agent whose product token userAgent begins
// with. A header may name an agent, to which the rest of it applies: "noarchive, otherbot: nosnippet".
func robotsTag(header http.Header, userAgent string) (a robotsDirectives) {
	token := robots.ProductToken(userAgent)
	for _, value := range header.Values("X-Robots-Tag") {
		ours := true
		for _, part := range document.RobotsDirectives(value) {
			agent, rest, named := strings.Cut(part, ":")
			agent = strings.ToLower(strings.TrimSpace(agent))
			// A directive with a value (max-snippet: 50) is no agent.
			if named && !tagsWithValue[agent] {
				if !httpguts.ValidHeaderFieldName(agent) {
					continue
				}
				ours, part = agent == "*" || strings.EqualFold(agent, token), rest
			}
			if ours {
				a.add(part)
			}
		}
	}
	return a
}

// add adds one directive. The earliest of several dates counts.
func (a *robotsDirectives) add(directive string) {
	if date, ok := document.UnavailableAfter(directive); ok {
		a.unavailable = earliest(a.unavailable, date)
		return
	}
	name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), ":")
	switch name {
	case "noindex":
		a.noIndex = true
	case "nofollow":
		a.noFollow = true
	case "none":
		a.noIndex, a.noFollow = true, true
	case "noarchive":
		a.noArchive = true
	case "nosnippet":
		a.noSnippet = true
	case "max-snippet":
		a.noSnippet = a.noSnippet || strings.TrimSpace(value) == "0"
	}
}

// earliest returns the earlier one of two times; a zero one counts as none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// unixOf returns a time in epoch seconds, 0 for the zero time.
func unixOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

var tagsWithValue = map[string]bool{
	"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true,
}

// readTag reads the X-Robots-Tag header of an answer. After a 304 without the header, that of the last 200 holds: servers leave most
// headers out of a 304 (see askTag). A date of META robots holds until the page is read again.
func (v *visit) readTag(o *outcome) {
	var known time.Time
	if v.due.Unavailable != 0 {
		known = time.Unix(v.due.Unavailable, 0).UTC()
	}
	if o.answer.Status == 304 && !o.headed && len(o.answer.Header.Values("X-Robots-Tag")) == 0 {
		o.headerTag = v.due.IndexMode & modeTag
		if o.headerTag&modeTagDate != 0 {
			o.headerDate = known
		}
	} else {
		said := robotsTag(o.answer.Header, v.c.o.UserAgent)
		o.headerTag, o.headerDate = said.mode(), said.unavailable
	}
	o.headerTag |= v.linkTag(o) | o.fileTag()
	if (o.headerTag|v.due.IndexMode)&modeTagDate != 0 { // the date that is known is not that of META robots
		known = time.Time{}
	}
	v.expire(o, known)
}

// expire sets the time from which the page is treated like one with noindex: the earlier one of the header's date and another date.
func (v *visit) expire(o *outcome, other time.Time) {
	o.tag, o.unavailable = o.headerTag, earliest(o.headerDate, other)
	if !o.unavailable.IsZero() && !v.c.now().Before(o.unavailable) {
		o.tag |= modeTagNoIndex
	}
}
