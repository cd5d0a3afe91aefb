package fetch

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"testing"
)

// TestAnswerTravelsThroughColly: the headers reach the collector's client, so a session can keep its cookies
// in a jar there, and the body is what the site sent although its charset is not UTF-8. Location is back in
// the answer.
func TestAnswerTravelsThroughColly(t *testing.T) {
	const page = "<title>\xc4\xee\xec</title>"
	var second string
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/second" {
			second = r.Header.Get("Cookie")
			w.Header().Set("Location", "http://[bad")
			w.WriteHeader(http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=windows-1251")
		w.Header().Set("Set-Cookie", "session=1")
		_, _ = io.WriteString(w, page)
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	f.base.SetCookieJar(jar)
	a := f.Fetch(t.Context(), Request{URL: base + "/first"})
	if a.Status != 200 || string(a.Body) != page || a.ContentType != "text/html; charset=windows-1251" || a.CRC != digestOf([]byte(page)) {
		t.Errorf("%d %q, type %q", a.Status, a.Body, a.ContentType)
	}
	at, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	if c := jar.Cookies(at); len(c) != 1 || c[0].Name != "session" {
		t.Errorf("the jar has %v", c)
	}
	if a := f.Fetch(t.Context(), Request{URL: base + "/second"}); a.Status != 302 || a.Location != "http://[bad" {
		t.Errorf("%d to %q", a.Status, a.Location)
	}
	if second != "session=1" {
		t.Errorf("the second request sent the cookies %q", second)
	}
}
