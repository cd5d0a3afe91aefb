package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestUnavailableAfter verifies unavailable_after of X-Robots-Tag and META robots: after its date a page is one with noindex, and a
// date to come makes the page due then, whatever its server answers. Without the date it is a document again. B66: what is no date
// does nothing.
func TestUnavailableAfter(t *testing.T) {
	t.Parallel()
	n := beside(t, "MaxLostShare 100%\n", "/past", "/pastmeta", "/soon", "/soonmeta", "/silent", "/far", "/other", "/bad")
	n.index("-S") // the database is made before the seconds count
	soon := time.Now().Add(4 * time.Second).Truncate(time.Second).UTC()
	far := time.Now().Add(50 * time.Hour).Truncate(time.Second).UTC()
	meta := func(date string) string {
		return fmt.Sprintf(`<meta name="robots" content="unavailable_after: %s">`, date)
	}
	pages := []struct{ path, header, body string }{
		{"/past", "unavailable_after: Friday, 25-Jun-10 15:00:00 PST", "past"},
		{"/pastmeta", "", meta("2010-06-25") + "past"},
		{"/soon", "noarchive, unavailable_after: " + soon.Format(time.RFC1123), "soon"},
		{"/soonmeta", "", meta(soon.Format(time.RFC850)) + "soonmeta"},
		{"/silent", "", "silent"},
		{"/far", "pgseek: unavailable_after: " + far.Format(time.RFC3339), "far"},
		{"/other", "otherbot: unavailable_after: 2010-06-25", "other"},
		{"/bad", "unavailable_after: 31 Feb, unavailable_after:, noarchive", meta("99-99-99 é") + "bad"},
	}
	put := func(path, header, body string) {
		p := spidertest.Page{Body: body, ETag: fmt.Sprintf("%q", body)}
		if header != "" {
			p.Header = map[string]string{"X-Robots-Tag": header}
		}
		n.site.Set(path, p)
	}
	for _, p := range pages {
		put(p.path, p.header, p.body)
	}
	n.site.Set("/silent", spidertest.Page{Serve: func(w http.ResponseWriter, r *http.Request) { // no header on a 304, and no HEAD
		switch {
		case r.Method == http.MethodHead:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Header.Get("If-None-Match") != "":
			w.WriteHeader(http.StatusNotModified)
		default:
			w.Header().Set("X-Robots-Tag", "unavailable_after: "+soon.Format(time.ANSIC))
			w.Header().Set("ETag", `"1"`)
			_, _ = w.Write([]byte("silent"))
		}
	}})
	n.crawl()
	const columns = "w.status, h.rule, s.unavailable_after AT TIME ZONE 'UTC'"
	at := func(t time.Time) string { return t.Format("2006-01-02 15:04:05 +0000 UTC") }
	n.want("/past", "w.status, h.rule", "406 T-06")
	n.want("/pastmeta", "w.status, h.rule", "406 T-06")
	for _, path := range []string{"/soon", "/soonmeta", "/silent"} {
		n.want(path, columns+", to_timestamp(w.next_index_time) = s.unavailable_after, split_part(s.next_why, ' ', 1)",
			"200 T-01 "+at(soon)+" true unavailable_after")
	}
	n.want("/far", columns+", to_timestamp(w.next_index_time) = s.unavailable_after", "200 T-01 "+at(far)+" true")
	n.want("/other", "w.status, s.unavailable_after IS NULL", "200 true")
	n.want("/bad", "w.status, s.unavailable_after IS NULL, s.marks", "200 true [noarchive]")

	time.Sleep(time.Until(soon.Add(100 * time.Millisecond)))
	n.site.Forget()
	n.crawl()
	for _, path := range []string{"/soon", "/soonmeta", "/silent"} {
		n.want(path, "w.status, h.rule, h.result", "406 T-16 406")
	}
	n.words("soonmeta")
	if out := n.index("--explain", n.url("/soonmeta")); !strings.Contains(out, "unavailable_after") {
		t.Errorf("--explain does not name unavailable_after:\n%s", out)
	}

	put("/soon", "noarchive", "soon")                                    // no date any more
	put("/past", "unavailable_after: "+far.Format(time.RFC1123), "past") // another date
	put("/soonmeta", "", "soonmeta again")                               // neither has the page
	n.crawl("-a")
	n.want("/soon", columns, "200 T-16 <nil>")
	n.want("/past", columns, "200 T-16 "+at(far))
	n.want("/soonmeta", columns, "200 T-04 <nil>")
	n.want("/far", columns, "200 T-02 "+at(far))
	n.want("/silent", "w.status", "406")
	n.words("soonmeta", "/soonmeta")
}
