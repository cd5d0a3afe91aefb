package spider

import (
	"net/http"
	"strings"

	"github.com/pgseek/pgseek/spider/robots"
	"golang.org/x/net/http/httpguts"
)

// robotsDirectives holds what an X-Robots-Tag header says of a document.
type robotsDirectives struct{ noArchive, noSnippet, noIndex, noFollow bool }

// mode returns the directives that decide what is read of a page, as bits of its indexing mode.
func (a robotsDirectives) mode() (mode int) {
	if a.noIndex {
		mode |= modeTagNoIndex
	}
	if a.noFollow {
		mode |= modeTagNoFollow
	}
	return mode
}

// robotsTag reads the X-Robots-Tag headers of an answer, for the agent whose product token userAgent begins
// with. A header may name an agent, to which the rest of it applies: "noarchive, otherbot: nosnippet".
func robotsTag(header http.Header, userAgent string) (a robotsDirectives) {
	token := robots.ProductToken(userAgent)
	for _, value := range header.Values("X-Robots-Tag") {
		ours := true
		for part := range strings.SplitSeq(value, ",") {
			if agent, rest, named := strings.Cut(part, ":"); named {
				agent = strings.ToLower(strings.TrimSpace(agent))
				// What takes a value (max-snippet: 50) is no agent, nor is the middle of a date.
				if tagsWithValue[agent] || !httpguts.ValidHeaderFieldName(agent) {
					continue
				}
				ours, part = agent == "*" || strings.EqualFold(agent, token), rest
			}
			if !ours {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(part)) {
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
			}
		}
	}
	return a
}

var tagsWithValue = map[string]bool{
	"unavailable_after": true, "max-snippet": true, "max-image-preview": true, "max-video-preview": true,
}
