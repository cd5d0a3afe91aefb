package spider

import (
	"net/http"
	"testing"
)

func TestRobotsTag(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers []string
		want    asked
	}{
		{"no header", nil, asked{}},
		{"one", []string{"noarchive"}, asked{noArchive: true}},
		{"several, in any case", []string{"NoSnippet , NOARCHIVE"}, asked{true, true}},
		{"several headers", []string{"noarchive", "nosnippet"}, asked{true, true}},
		{"others are not heeded", []string{"noindex, nofollow, none, all, noarchives, no archive"}, asked{}},
		{"for another agent", []string{"otherbot: noarchive, nosnippet"}, asked{}},
		{"for us", []string{"PgSeek: noarchive"}, asked{noArchive: true}},
		{"for all, then another", []string{"noarchive, otherbot: nosnippet"}, asked{noArchive: true}},
		{"for another, then us", []string{"otherbot: noarchive, pgseek: nosnippet"}, asked{noSnippet: true}},
		{"each header begins anew", []string{"otherbot: noindex", "noarchive"}, asked{noArchive: true}},
		{"for everybody", []string{"otherbot: noindex, *: noarchive"}, asked{noArchive: true}},
		{"an agent that begins like us", []string{"pgseek-images: noarchive"}, asked{}},
		{"values are no agents", []string{"max-snippet: 50, noarchive"}, asked{noArchive: true}},
		{"a date", []string{"unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noarchive"}, asked{noArchive: true}},
		{"empty parts", []string{",:,, : noarchive,"}, asked{}},
	} {
		header := http.Header{"X-Robots-Tag": c.headers}
		if got := robotsTag(header, "pgseek/0.1 (+http://example.org/)"); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
