package fetch

import (
	"bytes"
	"errors"
	"net/http"
	"testing"
)

// failing fails after some bytes.
type failing struct{ left int }

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

// TestSavedBody verifies that Save gets the whole decoded body, whatever its type and IndexLimit, and not more than SaveLimit.
func TestSavedBody(t *testing.T) {
	page := bytes.Repeat([]byte("<urlset>\n"), 1<<20)
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(compressed(t, "gzip", page))
			return
		case "/404":
			w.WriteHeader(http.StatusNotFound)
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(page)
	})
	for _, c := range []struct {
		path      string
		limit     int64
		status    int
		saved     []byte
		truncated bool
	}{
		{"/", 20 << 20, 200, page, false},
		{"/gzip", 20 << 20, 200, page, false},
		{"/", 1 << 20, 200, page[:1<<20], true},
		{"/gzip", 1 << 20, 200, page[:1<<20], true},
		{"/404", 20 << 20, 404, nil, false},
	} {
		var saved bytes.Buffer
		a := f.Fetch(t.Context(), Request{URL: base + c.path, Save: &saved, SaveLimit: c.limit})
		if a.Status != c.status || !bytes.Equal(saved.Bytes(), c.saved) || len(a.Body) != 0 || a.Truncated != c.truncated {
			t.Errorf("%s: %d, %d bytes saved, %d kept, truncated %v, %s", c.path, a.Status, saved.Len(), len(a.Body), a.Truncated, a.Cause)
		}
	}
	if a := f.Fetch(t.Context(), Request{URL: base, Save: &failing{1 << 20}, SaveLimit: 20 << 20}); a.Status != 802 {
		t.Errorf("%d %s", a.Status, a.Cause)
	}
}
