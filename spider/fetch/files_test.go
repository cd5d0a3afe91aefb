package fetch

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestTypesOfFiles: no server names the type of a file. One whose name and content say nothing is one that nothing reads, and no error.
func TestTypesOfFiles(t *testing.T) {
	t.Parallel()
	f := testFetcher(t)
	f.o.Files = http.NewFileTransport(http.Dir(t.TempDir()))
	for _, c := range []struct {
		url, body string
		status    int
		kind      string
	}{
		{"file:///a.tar!/x.unknown", "\x00\x01\x02\x03\xff", StatusNoConverter, octetStream},
		{"http://a.example/a.zip!/x", "\x00\x01\x02\x03\xff", StatusNoConverter, octetStream},
		{"file:///a.tar!/README", "some words", 200, "text/plain"},
	} {
		a := f.Fetch(t.Context(), Request{URL: c.url, Method: "GET", Stored: &Stored{
			Size: int64(len(c.body)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(c.body)), nil },
		}})
		if media, _, _ := strings.Cut(a.ContentType, ";"); a.Status != c.status || media != c.kind {
			t.Errorf("%s: %d %s (%s), want %d %s", c.url, a.Status, a.ContentType, a.Cause, c.status, c.kind)
		}
	}
}
