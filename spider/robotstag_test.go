package spider

import (
	"net/http"
	"testing"
	"time"
)

func TestRobotsTag(t *testing.T) {
	june := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		headers []string
		want    robotsDirectives
	}{
		{"no header", nil, robotsDirectives{}},
		{"one", []string{"noarchive"}, robotsDirectives{noArchive: true}},
		{"several, in any case", []string{"NoSnippet , NOARCHIVE"}, robotsDirectives{noArchive: true, noSnippet: true}},
		{"several headers", []string{"noarchive", "nosnippet"}, robotsDirectives{noArchive: true, noSnippet: true}},
		{"noindex", []string{"noindex"}, robotsDirectives{noIndex: true}},
		{"nofollow", []string{"NoFollow"}, robotsDirectives{noFollow: true}},
		{"none", []string{"none"}, robotsDirectives{noIndex: true, noFollow: true}},
		{"noindex for us, none for another", []string{"pgseek: noindex, otherbot: none"}, robotsDirectives{noIndex: true}},
		{"others are not heeded", []string{"index, follow, all, noarchives, no archive, noindexing"}, robotsDirectives{}},
		{"for another agent", []string{"otherbot: noarchive, nosnippet"}, robotsDirectives{}},
		{"for us", []string{"PgSeek: noarchive"}, robotsDirectives{noArchive: true}},
		{"for all, then another", []string{"noarchive, otherbot: nosnippet"}, robotsDirectives{noArchive: true}},
		{"for another, then us", []string{"otherbot: noarchive, pgseek: nosnippet"}, robotsDirectives{noSnippet: true}},
		{"each header stands alone", []string{"otherbot: noindex", "noarchive"}, robotsDirectives{noArchive: true}},
		{"for everybody", []string{"otherbot: noindex, *: noarchive"}, robotsDirectives{noArchive: true}},
		{"an agent that begins like us", []string{"pgseek-images: noarchive"}, robotsDirectives{}},
		{"values are no agents", []string{"max-snippet: 50, noarchive"}, robotsDirectives{noArchive: true}},
		{"a date", []string{"unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noarchive"}, robotsDirectives{noArchive: true, unavailable: june}},
		{"a date counts", []string{"unavailable_after: Friday, 25-Jun-10 15:00:00 PST"}, robotsDirectives{unavailable: june}},
		{"the earliest date", []string{"unavailable_after: 2011-01-01", "pgseek: unavailable_after: 25 Jun 2010 15:00:00 PST"}, robotsDirectives{unavailable: june}},
		{"a date for another agent", []string{"otherbot: unavailable_after: 2010-06-25T23:00:00Z, noindex"}, robotsDirectives{}},
		{"a date that nobody can read", []string{"unavailable_after: soon, noindex"}, robotsDirectives{noIndex: true}},
		{"no snippet at all", []string{"max-snippet: 0"}, robotsDirectives{noSnippet: true}},
		{"no snippet at all for us", []string{"pgseek: max-snippet:0, max-image-preview: none"}, robotsDirectives{noSnippet: true}},
		{"other values", []string{"max-snippet:-1, max-image-preview: none, max-video-preview: 0"}, robotsDirectives{}},
		{"empty parts", []string{",:,, : noarchive,"}, robotsDirectives{}},
	} {
		header := http.Header{"X-Robots-Tag": c.headers}
		if got := robotsTag(header, "pgseek/0.1 (+http://example.org/)"); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
