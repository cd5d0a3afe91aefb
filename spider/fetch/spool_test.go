package fetch

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSpool fetches bodies of a type that goes to a file: whole, beyond IndexLimit, up to MaxOtherSize. No file is left of any other.
func TestSpool(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), testIndexSize/8) // twice IndexLimit
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(long)
	z.Close()
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		switch r.URL.Path {
		case "/whole":
			_, _ = w.Write(long)
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes())
		case "/empty":
		case "/html":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write(long)
		case "/announced":
			_, _ = w.Write(make([]byte, testOtherSize+1))
		case "/large":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(make([]byte, testOtherSize+1))
			z.Close()
		case "/cut":
			w.Header().Set("Content-Length", "10000")
			_, _ = w.Write(long[:5000])
		case "/broken":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed.Bytes()[:packed.Len()/2])
		case "/gone":
			w.WriteHeader(404)
			_, _ = w.Write(long)
		}
	})
	dir := t.TempDir()
	f.transport.o.Spooled = func(t string) bool { return t == "application/pdf" }
	f.transport.o.Spool = func() (*os.File, error) { return os.CreateTemp(dir, "") }
	for path, want := range map[string]struct {
		status int
		body   []byte
	}{
		"/whole": {200, long}, "/packed": {200, long}, "/empty": {200, []byte{}}, "/html": {200, nil}, "/announced": {804, nil},
		"/large": {804, nil}, "/cut": {705, nil}, "/broken": {802, nil}, "/gone": {404, nil},
	} {
		a := f.Fetch(t.Context(), Request{URL: base + path})
		if a.Status != want.status || (a.File != nil) != (want.body != nil) {
			t.Errorf("%s: %d %q, file %v", path, a.Status, a.Cause, a.File != nil)
			continue
		}
		if a.File != nil {
			b, err := io.ReadAll(io.NewSectionReader(a.File, 0, a.Size))
			if err != nil || !bytes.Equal(b, want.body) || len(a.Body) > 0 || a.CRC != digestOf(want.body) || a.Truncated {
				t.Errorf("%s: %d bytes %v, %d in memory, truncated %v", path, len(b), err, len(a.Body), a.Truncated)
			}
		}
		a.Discard()
		a.Discard()
		if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
			t.Errorf("%s left %q", path, left)
		}
	}
}

// TestSpoolFullDisk keeps a document whose body the disk does not take: the answer counts as lost on the way.
func TestSpoolFullDisk(t *testing.T) {
	f, base := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = io.WriteString(w, "words")
	})
	f.transport.o.Spooled = func(string) bool { return true }
	f.transport.o.Spool = func() (*os.File, error) { return nil, errors.New("no room") }
	if a := f.Fetch(t.Context(), Request{URL: base + "/"}); a.Status != 705 || a.File != nil || !strings.Contains(a.Cause, "no room") {
		t.Errorf("%d %q", a.Status, a.Cause)
	}
	f.transport.o.Spool = func() (*os.File, error) {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			return nil, err
		}
		return os.Open(name) // a file that cannot be written
	}
	if a := f.Fetch(t.Context(), Request{URL: base + "/"}); a.Status != 705 || a.File != nil || !strings.Contains(a.Cause, "bad file descriptor") {
		t.Errorf("%d %q", a.Status, a.Cause)
	}
}
