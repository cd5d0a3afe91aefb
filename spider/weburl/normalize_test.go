package weburl

import (
	"errors"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNormalize(t *testing.T) {
	long := "http://h/" + strings.Repeat("a", 2048-len("http://h/"))
	tests := []struct {
		name, raw, want string
		err             error
	}{
		{"B6: 2048 bytes stay", long, long, nil},
		{"B6: 2049 bytes are dropped", long + "a", "", ErrTooLong},
		{"B6: the length counts after normalising", "http://h/" + strings.Repeat("%", 3) + strings.Repeat("ü", 400), "", ErrTooLong},
		{"B6: a fragment does not count", long + "#" + strings.Repeat("f", 100000), long, nil},
		{"B6: what is far too long is not parsed", "http://" + strings.Repeat("a@", 100000) + "h/", "", ErrTooLong},
		{"B7: spaces around are cut, others escaped", " \t\nhttp://h/a b?c d \r\n", "http://h/a%20b?c%20d", nil},
		{"B7: a space before the fragment stays", "http://h/a #f", "http://h/a%20", nil},
		{"B7: tabs and line ends vanish", "ht\ntp://h/a\tb\r\nc", "http://h/abc", nil},
		{"B7: backslashes are slashes, not in the query", `http:\\h\a\b?c\d`, `http://h/a/b?c\d`, nil},
		{"B8: escapes stay, digits in capitals", "http://h/%00%2fa%7e?%c3%a4", "http://h/%00%2Fa%7E?%C3%A4", nil},
		{"B8: what is no escape stays", "http://h/%zz%a?%%2f%", "http://h/%zz%a?%%2F%", nil},
		{"B8: bytes that are no UTF-8 do not reach a text column", "http://h/\xff\x00x", "http://h/%EF%BF%BD%00x", nil},
		{"B9: userinfo is removed", "http://user:pa%40ss@h:81/a", "http://h:81/a", nil},
		{"B10: javascript", "javascript:alert(1)", "", ErrScheme},
		{"B10: javascript in pieces", "java\nscript:alert(1)", "", ErrScheme},
		{"B10: data, however long", "data:text/html," + strings.Repeat("x", 1<<20), "", ErrScheme},
		{"B10: mailto", "mailto:a@example.com", "", ErrScheme},
		{"B10: ftp", "ftp://h/", "", ErrScheme},
		{"B10: file", "file:///etc/passwd", "", ErrScheme},
		{"B10: unknown", "x-y://h/", "", ErrScheme},
		{"no scheme", "h/a", "", ErrSyntax},
		{"empty", "", "", ErrSyntax},
		{"B11: port 0", "http://h:0/", "", ErrPort},
		{"B11: port 0 in another dress", "http://h:000/", "", ErrPort},
		{"B11: port 65536", "http://h:65536/", "", ErrPort},
		{"B11: port 65535 stays", "http://h:65535/", "http://h:65535/", nil},
		{"B11: port of letters", "http://h:a/", "", ErrPort},
		{"B11: empty host", "http://", "", ErrHost},
		{"B11: port only", "http://:80/", "", ErrHost},
		{"B11: bad IPv6", "http://[1::2::3]/", "", ErrHost},
		{"B11: open bracket", "http://[::1/", "", ErrHost},
		{"B11: forbidden character", "http://a<b/", "", ErrHost},
		{"B11: character that other software reads otherwise", `http://a"b/`, "", ErrHost},
		{"B11: escaped forbidden character", "http://a%2fb/", "", ErrHost},
		{"B11: empty label", "http://a..b/", "", ErrHost},
		{"B11: label of 64", "http://" + strings.Repeat("a", 64) + ".com/", "", ErrHost},
		{"B11: IPv4 out of range", "http://1.2.3.256/", "", ErrHost},
		{"IPv4 in other dress", "http://0x7f.1/", "http://127.0.0.1/", nil},
		{"IPv6 in short", "http://[0:0::0:1]:8080/", "http://[::1]:8080/", nil},
		{"B12: A-labels", "http://Bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC", nil},
		{"B12: A-labels stay", "http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/", nil},
		{"B12: invalid label", "http://xn--a/", "", ErrHost},
		{"B12: label that decodes to nothing", "http://xn--/", "", ErrHost},
		{"B13: upper-case scheme and host", "HTTP://EXAMPLE.com/A", "http://example.com/A", nil},
		{"B13: default ports", "http://h:80/", "http://h/", nil},
		{"B13: default port of https", "https://h:0443/", "https://h/", nil},
		{"B13: the other's default port stays", "https://h:80/", "https://h:80/", nil},
		{"B13: dot segments", "http://h/a/./b/../c/%2E%2e/d/..", "http://h/a/", nil},
		{"B13: above the root", "http://h/../../a", "http://h/a", nil},
		{"B13: no path", "http://h?q", "http://h/?q", nil},
		{"B13: fragment", "http://h/a#b#c", "http://h/a", nil},
		{"slashes and empty queries are not touched", "http://h//a//?", "http://h//a//?", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Normalize(tt.raw, 0)
			if !errors.Is(err, tt.err) || got.Text != tt.want {
				t.Errorf("Normalize(%.80q) = %.80q, %v; want %.80q, %v", tt.raw, got.Text, err, tt.want, tt.err)
			}
		})
	}
}

func TestNormalizeFields(t *testing.T) {
	tests := []struct {
		raw  string
		want URL
	}{
		{"http://h.example/a?b", URL{"http://h.example/a?b", "http://h.example/", "h.example", "h.example", "/a?b"}},
		{"https://h.example", URL{"https://h.example/", "https://h.example/", "h.example", "h.example:443", "/"}},
		{"https://h.example:8443/a", URL{"https://h.example:8443/a", "https://h.example:8443/", "h.example", "h.example:8443", "/a"}},
		{"http://u@[::1]:8080/", URL{"http://[::1]:8080/", "http://[::1]:8080/", "[::1]", "[::1]:8080", "/"}},
		{"https://[::1]/", URL{"https://[::1]/", "https://[::1]/", "[::1]", "[::1]:443", "/"}},
		{"http://H:80?q", URL{"http://h/?q", "http://h/", "h", "h", "/?q"}},
	}
	for _, tt := range tests {
		got, err := Normalize(tt.raw, 0)
		if err != nil {
			t.Fatalf("Normalize(%q): %v", tt.raw, err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("Normalize(%q) (-want +got):\n%s", tt.raw, d)
		}
	}
}

func TestErrorsDoNotShowThePassword(t *testing.T) { // B9
	for _, raw := range []string{"http://user:secret@h:0/", "http://user:secret@a<b/", "ftp://user:secret@h/", "http://user:secret@h:x/"} {
		if _, err := Normalize(raw, 0); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("Normalize(%q): %v", raw, err)
		}
	}
}

func TestResolve(t *testing.T) {
	const page = "http://h.example:81/docs/17/sql.html?v=1"
	tests := []struct {
		name, base, href, want string
		err                    error
	}{
		{"file", "", "select.html#x", "http://h.example:81/docs/17/select.html", nil},
		{"parent", "", "../16/a.html", "http://h.example:81/docs/16/a.html", nil},
		{"parents above the root", "", "../../../../a", "http://h.example:81/a", nil},
		{"parent alone", "", "..", "http://h.example:81/docs/", nil},
		{"here", "", ".", "http://h.example:81/docs/17/", nil},
		{"here with a query", "", "./?a", "http://h.example:81/docs/17/?a", nil},
		{"dots inside", "", "a/../b", "http://h.example:81/docs/17/b", nil},
		{"dots that are names", "", ".../.a/..b", "http://h.example:81/docs/17/.../.a/..b", nil},
		{"two slashes after the dot", "", ".//a", "http://h.example:81/docs/17//a", nil},
		{"absolute path", "", "/abs/path", "http://h.example:81/abs/path", nil},
		{"scheme-relative", "", "//other.example/a", "http://other.example/a", nil},
		{"fragment", "", "#x", "http://h.example:81/docs/17/sql.html?v=1", nil},
		{"empty", "", "", "http://h.example:81/docs/17/sql.html?v=1", nil},
		{"query", "", "?q=a/../b", "http://h.example:81/docs/17/sql.html?q=a/../b", nil},
		{"empty query", "", "?", "http://h.example:81/docs/17/sql.html?", nil},
		{"colon after a slash", "", "a/b:c", "http://h.example:81/docs/17/a/b:c", nil},
		{"name that begins like a scheme", "", "http-intro.html", "http://h.example:81/docs/17/http-intro.html", nil},
		{"scheme without slashes is relative", "", "http:a", "http://h.example:81/docs/17/a", nil},
		{"absolute", "", "https://other.example/a#b", "https://other.example/a", nil},
		{"same site", "", "http://h.example:81/x", "http://h.example:81/x", nil},
		{"B7: space", "", " a b ", "http://h.example:81/docs/17/a%20b", nil},
		{"B10: scheme", "", "mailto:x@y", "", ErrScheme},
		{"B10: name with a colon", "", "a:b", "", ErrScheme},
		{"B11: port", "", "//h:0/", "", ErrPort},
		{"B26: base", "/other/", "a", "http://h.example:81/other/a", nil},
		{"B26: base on another site", "https://b.example/x/y?z#f", "a", "https://b.example/x/a", nil},
		{"B26: userinfo of a base", "http://u:p@b.example/", "a", "http://b.example/a", nil},
		{"B26: bad base host", "http://[/", "a", "http://h.example:81/docs/17/a", nil},
		{"B26: base of another scheme", "data:text/html,x", "a", "http://h.example:81/docs/17/a", nil},
		{"B26: bad base port", "http://h:0/", "a", "http://h.example:81/docs/17/a", nil},
	}
	from, err := Normalize(page, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := NewResolver(from, tt.base, 0).Resolve(tt.href)
			if !errors.Is(err, tt.err) || got.Text != tt.want {
				t.Errorf("Resolve(%q) = %q, %v; want %q, %v", tt.href, got.Text, err, tt.want, tt.err)
			}
		})
	}
	if _, err := NewResolver(from, "", 45).Resolve("a-name-that-is-long.html"); !errors.Is(err, ErrTooLong) {
		t.Errorf("B6: error %v, want %v", err, ErrTooLong)
	}
}

// A page of documentation has 65 links; common ones must not cost the parser's hundred allocations.
func TestResolveAllocatesOnlyTheText(t *testing.T) {
	page, err := Normalize("https://www.example.org/docs/17/index.html", 0)
	if err != nil {
		t.Fatal(err)
	}
	r := NewResolver(page, "", 0)
	tests := []struct {
		href string
		want float64
	}{
		{"#x", 0},
		{"sql-select.html#x", 1},
		{"../a/b.html", 1},
		{"/abs/path", 1},
		{"?q=1", 1},
		{"..", 0},
		{"http://other.example/a", 1},
		{"https://www.example.org/a", 2}, // and the port of HostInfo, which is let go again
	}
	for _, tt := range tests {
		got := testing.AllocsPerRun(100, func() {
			if _, err := r.Resolve(tt.href); err != nil {
				t.Fatal(err)
			}
		})
		if got > tt.want {
			t.Errorf("Resolve(%q) allocates %v times, want %v", tt.href, got, tt.want)
		}
	}
}

func BenchmarkResolve(b *testing.B) {
	page, err := Normalize("https://www.example.org/docs/17/index.html", 0)
	if err != nil {
		b.Fatal(err)
	}
	r := NewResolver(page, "", 0)
	b.Run("fast", func(b *testing.B) {
		for b.Loop() {
			_, _ = r.Resolve("../a/sql-select.html#x")
		}
	})
	b.Run("slow", func(b *testing.B) {
		for b.Loop() {
			_, _ = r.slow("../a/sql-select.html#")
		}
	})
}

var urlSeeds = []string{
	"http://h/", "https://h:443/a?b#c", "http://h:80", "http://u:p@h/", "http://[::1]:1/", "http://[1:2:3:4:5:6:1.2.3.4]/",
	"http://Bücher.example/", "http://xn--bcher-kva.example/", "http://1.2.3.4/", "http://0x1/", "http://a.b-c.d_e/",
	"http://h/%2e%2E/a/./b/..", "http://h/%c3%A4%zz%", `http:\\h\a`, "http:h", " http://h/a b\t", "http://h/'a'?'b'",
	"http://h.x./", "http://1.a/", "http://a.1/", "http://ab--c/", "http://h:0080/", "https://h:80/", "http://h:443/",
	"http://≠.example/", "http://xn--zn7c.com/", "http://faß.de/", "http://h/..a/.b/c.", "http://-a-.b/", "http://h//", "a:b",
}

func FuzzNormalize(f *testing.F) {
	for _, s := range urlSeeds {
		f.Add(s)
	}
	f.Fuzz(checkNormal)
}

// checkNormal holds what Normalize makes of raw against itself, the parser and net/url.
func checkNormal(t *testing.T, raw string) {
	u, err := Normalize(raw, 0)
	if err != nil {
		if u != (URL{}) {
			t.Fatalf("%q: %v and %+v", raw, err, u)
		}
		return
	}
	again, err := Normalize(u.Text, 0)
	if err != nil || again != u {
		t.Fatalf("%q: %+v, again %+v, %v", raw, u, again, err)
	}
	if known, err := ParseNormalized(u.Text); err != nil || known != u {
		t.Fatalf("%q: %+v, taken apart %+v, %v", raw, u, known, err)
	}
	whole, err := resolveSlowly(u.Text)
	if err != nil || whole != u {
		t.Fatalf("%q: %+v, the whole way %+v, %v", raw, u, whole, err)
	}
	if whole, err := resolveSlowly(raw); err != nil || whole != u {
		t.Fatalf("%q: %+v, the whole way %+v, %v", raw, u, whole, err)
	}
	if u.Site+u.Path[1:] != u.Text || len(u.Text) > DefaultMaxLength {
		t.Fatalf("%q: %+v", raw, u)
	}
	for _, c := range []byte(u.Text) {
		if c <= ' ' || c >= 0x7f {
			t.Fatalf("%q: byte %#x in %q", raw, c, u.Text)
		}
	}
	site, err := url.Parse(u.Site) // what sends the request must see the same host
	if err != nil || site.User != nil || site.Host != strings.TrimSuffix(u.HostInfo, ":443") && site.Host != u.HostInfo {
		t.Fatalf("%q: net/url reads %+v, %v from %q", raw, site, err, u.Site)
	}
}

// resolveSlowly is Normalize without the fast path.
func resolveSlowly(raw string) (URL, error) {
	u, err := parser.Parse(cutFragment(raw))
	if err != nil {
		return URL{}, err
	}
	return build(u, DefaultMaxLength)
}

func FuzzResolveFast(f *testing.F) {
	hrefs := append([]string{
		"", "#x", "?", "?q#", "a.html#x", "../a/b.html", "../../..", "./", ".//a", "/", "/a/../b", "//h/", "a:b", "a/b:c?d:e",
		"%2E%2e/a", "a/%2e", "..?q", ".a", "...", "a?../b", "http-a", "https:x", "x/.?q", "x/..%2E", "'a'?'b'", "a%2Fb", "a%2fb",
	}, urlSeeds...)
	for _, page := range []string{"http://h.example/docs/17/sql.html?v=1", "https://h.example/", "http://h:81//a//b/?"} {
		for _, href := range hrefs {
			f.Add(page, href)
		}
	}
	f.Fuzz(func(t *testing.T, page, href string) { checkFast(t, page, href) })
}

// checkFast holds the fast path against the parser; false when it is not taken.
func checkFast(t *testing.T, page, href string) bool {
	from, err := Normalize(page, 0)
	if err != nil {
		return false
	}
	r := NewResolver(from, "", 0)
	fast, fastErr := r.Resolve(href)
	if _, ok := r.fast(strings.TrimSuffix(cutFragment(href), "#")); !ok {
		return false
	}
	base, err := parser.Parse(from.Text)
	if err != nil {
		t.Fatal(err)
	}
	var slow URL
	whole, slowErr := base.Parse(cutFragment(href))
	if slowErr == nil {
		slow, slowErr = build(whole, DefaultMaxLength)
	}
	if fast != slow || (fastErr == nil) != (slowErr == nil) {
		t.Fatalf("%q on %q: fast %+v, %v, slow %+v, %v", href, from.Text, fast, fastErr, slow, slowErr)
	}
	return true
}

// TestComposedURLs is the fuzz tests' work in small, from pieces that matter to the rules.
func TestComposedURLs(t *testing.T) {
	pieces := []string{
		"http:", "https:", "//", "/", "\\", "h", "H", "a.b", "1.2", "0x", "xn--", "ü", "[::1]", "[", "]", ":", "80", "443", "0", "@", "-", "_",
		".", "..", "%2e", "%2E", "%", "%zz", "%c3", "?", "#", "&", "=", "'", "\"", "<", " ", "\t", "\x00", "\x7f", "\xff", "|", "^", "`", "{", "~", "+", "*", "$",
	}
	random := rand.New(rand.NewPCG(1, 2))
	compose := func() string {
		var s strings.Builder
		for range random.IntN(9) {
			s.WriteString(pieces[random.IntN(len(pieces))])
		}
		return s.String()
	}
	rounds, taken := 20_000, 0
	for range rounds {
		checkNormal(t, "http://"+compose())
		checkNormal(t, "https://a.b"+compose())
		if checkFast(t, "http://a.b/"+compose(), compose()) {
			taken++
		}
	}
	if taken < rounds/100 {
		t.Errorf("the fast path was taken %d times of %d", taken, rounds)
	}
}
