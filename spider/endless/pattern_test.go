package endless

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A URL has the patterns of its folders and its own, when something in it looks generated.
func TestPatterns(t *testing.T) {
	for url, want := range map[string][]string{
		"http://a.test/":                                     nil,
		"http://a.test/man/ls.html":                          nil,
		"http://a.test:8080/man/":                            nil,
		"http://a.test/man1/ls.1.html":                       {"http://a.test/man{n}/**", "http://a.test/man{n}/ls.{n}.html"},
		"http://a.test/2031/03/":                             {"http://a.test/{n}/**", "http://a.test/{n}/{n}/"},
		"http://a.test/show?id=17":                           {"http://a.test/**?id=", "http://a.test/show?id="},
		"http://a.test/?C=M;O=A":                             {"http://a.test/?C=&O=", "http://a.test/?C=M&O=A"},
		"http://a.test/x;jsessionid=8F3A":                    {"http://a.test/**;jsessionid=", "http://a.test/x;jsessionid="},
		"http://a.test/cgi/diff/a.c?id=0a1b2":                {"http://a.test/**?id=", "http://a.test/cgi/**?id=", "http://a.test/cgi/diff/**?id=", "http://a.test/cgi/diff/a.c?id="},
		"http://a.test/?p=x.git;a=commit;h=0a1b2c3d;o=5":     {"http://a.test/?p=&a=&h=&o=", "http://a.test/?p=&a=commit&h={id}&o={n}"},
		"http://a.test/cgi/?id=0a1b2":                        {"http://a.test/**?id=", "http://a.test/cgi/?id="},
		"http://a.test/s/8f3a91c2d/about":                    {"http://a.test/s/{id}/**", "http://a.test/s/{id}/about"},
		"http://a.test/f81d4fae-7dec-11d0-a765-00a0c91e6bf6": {"http://a.test/{id}"},
		"http://a.test/%D1%81-2":                             {"http://a.test/%D1%81-{n}"},
		"http://a.test/deadbeef":                             nil,
		"http://[::1]:80/a(1)+b[2].c?x[]=1":                  {"http://[::1]:80/**?x[]=", "http://[::1]:80/a({n})+b[{n}].c?x[]="},
	} {
		a := addressOf(url)
		got := a.chain
		if v := a.view.pattern(0); v != "" {
			got = append(got, v)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", url, diff)
		}
		for _, p := range got {
			if line := Regexp(p); !regexp.MustCompile("(?i)" + line).MatchString(url) {
				t.Errorf("%s: the line of its pattern %s is %s, which does not match it", url, p, line)
			}
		}
	}
	if line := Regexp("http://a.test/x/**?id="); line != `^http://a[.]test/x/[^?]+[?]id=[^&;]*$` {
		t.Errorf("line %s", line)
	}
}
