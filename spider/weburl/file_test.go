package weburl

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFileURLs: what an operator writes, and B42: a link of the Web never is a file URL.
func TestFileURLs(t *testing.T) {
	for _, c := range []struct {
		raw, want, path string
		err             error
	}{
		{"file:///srv/docs/", "file:///srv/docs/", "/srv/docs/", nil},
		{"FILE:/srv/docs", "file:///srv/docs", "/srv/docs", nil},
		{"file://localhost/srv/a", "file:///srv/a", "/srv/a", nil},
		{"file:///srv//docs///a", "file:///srv/docs/a", "/srv/docs/a", nil},
		{"file:///srv/docs/../../etc/./passwd", "file:///etc/passwd", "/etc/passwd", nil},
		{"file:///srv/docs/%2e%2e/a", "file:///srv/a", "/srv/a", nil},
		{"file:///srv/%61%7e b", "file:///srv/a~%20b", "/srv/a~ b", nil},
		{"file:///srv/ü", "file:///srv/%C3%BC", "/srv/ü", nil},
		{"file:///srv/%ff%FE", "file:///srv/%FF%FE", "/srv/\xff\xfe", nil},
		{"file:///srv/a%23b%3fc%25d", "file:///srv/a%23b%3Fc%25d", "/srv/a#b?c%d", nil},
		{"file:///srv/a?x=1#f", "file:///srv/a", "/srv/a", nil},
		{"file:///srv/d/?part=12", "file:///srv/d/?part=12", "/srv/d/", nil},
		{"file:///srv/d/?part=1", "file:///srv/d/", "/srv/d/", nil},
		{"file:///srv/d?part=2", "file:///srv/d", "/srv/d", nil},
		{"file:///srv/%zz%", "file:///srv/%25zz%25", "/srv/%zz%", nil},
		{"file:///srv/a%2Fb", "", "", ErrSyntax},
		{"file:///srv/a%00", "", "", ErrSyntax},
		{"file://server/share/a", "", "", ErrHost},
		{"file:///" + strings.Repeat("ü", 400), "", "", ErrTooLong},
		{"http://h/a", "http://h/a", "", nil},
	} {
		u, err := Typed(c.raw, 0)
		if !errors.Is(err, c.err) || u.Text != c.want {
			t.Errorf("%q: %q, %v; want %q, %v", c.raw, u.Text, err, c.want, c.err)
			continue
		}
		if err != nil || !u.IsFile() {
			continue
		}
		again, err := ParseNormalized(u.Text)
		if err != nil || again != u || u.Site != FileSite || u.Host != "" || u.HostInfo != "file" {
			t.Errorf("%q: %+v, parsed again %+v, %v", c.raw, u, again, err)
		}
		if u.FilePath() != c.path {
			t.Errorf("%q: path %q, want %q", c.raw, u.FilePath(), c.path)
		}
	}
}

// TestFileNames: every path has one URL, which leads back to it.
func TestFileNames(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		name := make([]byte, 1+random.IntN(20))
		for i := range name {
			for name[i] == 0 || name[i] == '/' {
				name[i] = byte(random.Uint32())
			}
		}
		path := "/srv/docs/" + string(name)
		u := File(path)
		if s := string(name); s == "." || s == ".." {
			continue
		}
		if got := u.FilePath(); got != path {
			t.Fatalf("%q: %s leads to %q", path, u.Text, got)
		}
		if again, err := Typed(u.Text, 0); err != nil || again != u {
			t.Fatalf("%q: %s normalized again %s, %v", path, u.Text, again.Text, err)
		}
		dir := File("/srv/docs/")
		if again, err := NewResolver(dir, "", 0).Resolve("./" + EscapePath(string(name))); err != nil || again != u {
			t.Fatalf("%q: %s by a listing %s, %v", path, u.Text, again.Text, err)
		}
	}
}

// TestLinksOfFiles: a page that is a file may link to files and to the Web; a page of the Web never links to a file (B42).
func TestLinksOfFiles(t *testing.T) {
	page, err := Typed("file:///srv/docs/a/page.html", 0)
	if err != nil {
		t.Fatal(err)
	}
	r := NewResolver(page, "", 0)
	for href, want := range map[string]string{
		"b.txt": "file:///srv/docs/a/b.txt", "../c.txt?x#y": "file:///srv/docs/c.txt", "/etc/passwd": "file:///etc/passwd",
		"file:///srv/docs/d": "file:///srv/docs/d", `x\y.txt`: "file:///srv/docs/a/x/y.txt", "": "file:///srv/docs/a/page.html",
		"http://h/a?b": "http://h/a?b", "https://h": "https://h/", "?part=3": "file:///srv/docs/a/page.html",
	} {
		if u, err := r.Resolve(href); err != nil || u.Text != want {
			t.Errorf("%q: %q, %v; want %q", href, u.Text, err, want)
		}
	}
	for _, href := range []string{"//server/share/a", "mailto:a@b", "ftp://h/"} {
		if u, err := r.Resolve(href); err == nil {
			t.Errorf("%q: %q, want an error", href, u.Text)
		}
	}
	web, err := Normalize("http://h/a", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{"", "file:///srv/docs/"} {
		for _, href := range []string{"file:///etc/passwd", "FILE:/etc/passwd", "file:passwd", "f\nile:///etc/passwd"} {
			if u, err := NewResolver(web, base, 0).Resolve(href); !errors.Is(err, ErrScheme) {
				t.Errorf("%q with base %q: %q, %v; want %v", href, base, u.Text, err, ErrScheme)
			}
		}
	}
}
