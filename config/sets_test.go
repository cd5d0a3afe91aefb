package config

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDefaultsOfSets(t *testing.T) {
	want := Sets{
		Outside:   Server{Period: 7 * day, MaxHops: 256, Index: true, Follow: true, Canonical: true},
		HostLoads: []HostLoad{{Host: "*", Start: 0, End: 24, Load: 4}}, SkipExtensions: standardExtensions(), ArchiveMembers: 10000,
	}
	if diff := cmp.Diff(want, load(t, nil).Sets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Local directives apply to the Server lines below until they are set again, AuthBasic to the next one only.
func TestLocalDirectivesAreSticky(t *testing.T) {
	c := load(t, files{setsName: `Server http://a.example/
Period 1d
Tag 5
MaxHops 3
Index no
Follow no
Schedule ADAPTIVE
DeleteBad yes
HeadFirst yes
MinDelay 2s
AuthBasic spider:a:b
Server SITE https://b.example:8443/x?y#z
Tag 6
Index yes
Server HTTP://C.example
FollowOutside yes
Schedule Period
DeleteBad no
JumpPage no
MinDelay 3M
`})
	b := Server{URL: "https://b.example:8443/x?y#z", Period: day, Tag: 5, MaxHops: 3, HeadFirst: true, MinDelay: 2 * time.Second, Extent: ExtentSite, AuthBasic: "spider:a:b", Line: 12}
	cc := Server{URL: "HTTP://C.example", Period: day, Tag: 6, MaxHops: 3, Index: true, HeadFirst: true, MinDelay: 2 * time.Second, Line: 15}
	for _, s := range []*Server{&b, &cc} {
		s.Adaptive, s.DeleteBad, s.Canonical, s.SaysMinDelay = true, true, true, true
	}
	outside := cc
	outside.URL, outside.Line, outside.MinDelay, outside.Adaptive, outside.DeleteBad = "", 0, 3*time.Minute, false, false
	want := Sets{
		Servers: []Server{
			{URL: "http://a.example/", Period: 7 * day, MaxHops: 256, Index: true, Follow: true, Canonical: true, Line: 1}, b, cc,
		},
		Outside:       outside,
		FollowOutside: true,
		HostLoads:     []HostLoad{{Host: "*", Start: 0, End: 24, Load: 4}}, SkipExtensions: standardExtensions(), ArchiveMembers: 10000,
	}
	for i, s := range c.Sets.Servers {
		if filepath.Base(s.File) != setsName {
			t.Errorf("server %d stands in %q", i, s.File)
		}
	}
	if diff := cmp.Diff(want, c.Sets, cmpopts.IgnoreFields(Server{}, "File")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The lines keep their order; the first one that matches decides.
func TestFilters(t *testing.T) {
	c := load(t, files{setsName: `Allow ^https?://a\.example/keep
Disallow \.(gif|png)$ "session id"
AllowNoMatch x
disallownomatch ^https://a\. ^https://b\.
CheckOnly \.pdf$
CheckOnlyNoMatch y
Tag 3
`})
	var got []string
	for _, f := range c.Sets.Filters {
		got = append(got, strings.TrimSpace(f.Action.String()+map[bool]string{true: "NoMatch "}[f.NoMatch])+" | "+f.Text)
	}
	want := []string{
		`Allow | Allow ^https?://a\.example/keep`,
		`Disallow | Disallow \.(gif|png)$ "session id"`,
		`AllowNoMatch | AllowNoMatch x`,
		`DisallowNoMatch | disallownomatch ^https://a\. ^https://b\.`,
		`CheckOnly | CheckOnly \.pdf$`,
		`CheckOnlyNoMatch | CheckOnlyNoMatch y`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	for _, m := range []struct {
		filter int
		url    string
		want   bool
	}{
		{0, "http://A.example/KEEP", true},
		{0, "http://b.example/keep", false},
		{1, "http://a/x.GIF", true},
		{1, "http://a/?session id", true},
		{1, "http://a/x.gif?y", false},
		{3, "https://a.b", false},
		{3, "https://b.c", false},
		{3, "https://c.d", true}, // none of the patterns fits
		{4, "http://a/x.pdf", true},
		{5, "http://a/y", false},
		{5, "http://a/z", true},
	} {
		if f := &c.Sets.Filters[m.filter]; f.Match(m.url) != m.want || f.Line != m.filter+1 {
			t.Errorf("%s (line %d): Match(%s) = %v, want %v", f.Text, f.Line, m.url, !m.want, m.want)
		}
	}
}

// Start URLs are checked (B9, B11).
// The directory of a start URL ends with its last slash before the query.
func TestServerDirectory(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.example": "/", "http://a.example/": "/", "http://a.example/x": "/", "http://a.example?/x/": "/", "http://a.example/#/x/": "/",
		"http://a.example/x/": "/x/", "http://a.example/x/y.html": "/x/", "http://a.example/x/y?z=/a/b": "/x/",
	} {
		s := Server{URL: url}
		if got := s.Dir(); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	c := load(t, files{setsName: "Server path http://a.example/x/y\nServer Path http://a.example/\nServer http://a.example/z/\n"})
	for i, want := range []Extent{ExtentPath, ExtentPath, ExtentDefault} {
		if s := c.Sets.Servers[i]; s.Extent != want {
			t.Errorf("%s: %v, want %v", s.URL, s.Extent, want)
		}
	}
}

func TestServerURL(t *testing.T) {
	for raw, want := range map[string]string{
		"http://a.example":              "http://a.example",
		"HTTPS://A.example:65535/ä?b c": "HTTPS://A.example:65535/ä?b c",
		"http://127.0.0.1:8080/%zz":     "http://127.0.0.1:8080/%zz", // B8: left to the normalizer
		"http://[::1]:80/":              "http://[::1]:80/",
		"http://[::1]":                  "http://[::1]",
		"http://bücher.example/":        "http://bücher.example/",
		"http://a.example:/":            "http://a.example:/",
		"http://a.example?q=x@y":        "http://a.example?q=x@y",
		"http://a.example/x@y":          "http://a.example/x@y",
	} {
		got, login, err := startURL(raw)
		if got != want || login != "" || err != nil {
			t.Errorf("%q = %q, %q, %v; want %q", raw, got, login, err, want)
		}
	}
	for _, raw := range []string{
		"", "/", "a.example", "//a.example/", "http:a.example", "http:/a.example/", "ftp://a.example/", "file:/etc", "file://a.example/etc", "mailto:a@b",
		"http://", "http:///x", "http://:80/", "http://?x", "http://@/", "http://u:p@/", "http://a:0/", "http://a:65536/", "http://a:x/", "http://a:-1/",
		"http://[::1/", "http://[]/", "http://[1.2.3.4]/", "http://[::1]x/", "http://[fe80::1%25eth0]/", "http://[::1]:0/", " http://a/",
	} {
		if got, _, err := startURL(raw); err == nil {
			t.Errorf("%q = %q, want an error", raw, got)
		}
	}
}

// B9: userinfo is removed from the URL; in the configuration it is a credential.
func TestB9UserinfoOfAServerBecomesItsAuthBasic(t *testing.T) {
	c := load(t, files{setsName: "Server http://u:p@a.example/x\nServer http://v@b.example/\nServer http://@c.example/\nServer http://a@b:c@d.example/\nServer http://u:p%40s%C3%9F@e.example/"})
	var got [][2]string
	for _, s := range c.Sets.Servers {
		got = append(got, [2]string{s.URL, s.AuthBasic})
	}
	want := [][2]string{{"http://a.example/x", "u:p"}, {"http://b.example/", "v:"}, {"http://c.example/", ""}, {"http://d.example/", "a@b:c"}, {"http://e.example/", "u:p@sß"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOwnHosts: Robots no and IgnoreMeta are settings of a Server, the first one for hosts of one's own.
func TestOwnHosts(t *testing.T) {
	c := load(t, files{
		setsName: "Robots no\nServer http://127.0.0.1:8080/\nServer http://[fd00::1]/\nServer http://10.1.2.3/\nServer http://Wiki.Example.:81/\n" +
			"Robots yes\nIgnoreMeta yes\nServer http://www.example.org/\nFollowOutside yes\n",
		spiderName: "AllowHost wiki.example\n",
	})
	for i, s := range c.Sets.Servers {
		if last := i == 4; s.IgnoreRobots == last || s.IgnoreMeta != last {
			t.Errorf("%s: IgnoreRobots %v, IgnoreMeta %v", s.URL, s.IgnoreRobots, s.IgnoreMeta)
		}
	}
	if o := c.Sets.Outside; o.IgnoreMeta || o.IgnoreRobots {
		t.Errorf("sites without a Server line: IgnoreRobots %v, IgnoreMeta %v", o.IgnoreRobots, o.IgnoreMeta)
	}
}

func TestSetsProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Server", "1: Server: a value is missing"},
		{"Server path http://a/docs", "1: Server: the directory of this URL is the whole site; write: Server path http://a/docs/"}, // B68
		{"Server path http://u:p@a/docs?x", "1: Server: the directory of this URL is the whole site; write: Server path http://a/docs/"},
		{"Server path", `1: Server: "path" is not an absolute http or https URL`},
		{"Server page http://a/x", "1: Server: Server page is not supported by this version; write above the line: MaxHops 0"},
		{"Server world http://a/x", "1: Server: Server world is not supported by this version; write: FollowOutside yes"},
		{"Server subsection http://a/x/", "1: Server: Server subsection is not supported by this version; write: Server path"},
		{"Server paths http://a/x/", `1: Server: "paths" is neither site nor path; write: Server site URL, or Server path URL`},
		{"Server /srv/my docs/", "1: Server: 2 values, expected one (put a value with spaces in double quotes)"},
		{`Server "/srv/my docs/"`, `1: Server: "/srv/my docs/" is a path, no URL; write: Server file:///srv/my%20docs/`},
		{"Server http://a/ http://b/", "1: Server: 2 values, expected one (put a value with spaces in double quotes)"},
		{"Allow", "1: Allow: a pattern is missing"},
		{`Allow ""`, "1: Allow: an empty pattern matches every URL; write .* if you mean that"},
		{"Tag -1", `1: Tag: "-1" is not a whole number from 0 to 2147483647`},
		{"MaxHops 40000", `1: MaxHops: "40000" is not a whole number from 0 to 32767`},
		{"MaxURLsPerServer 0", `1: MaxURLsPerServer: "0" is neither none nor a whole number from 1 to 2147483647`},
		{"Pause", "1: Pause: a pattern is missing"},
		{"NeverPause a (", `1: NeverPause: bad pattern "(": missing closing ): "(?i)("`},
		{"Period 11y", `1: Period: "11y" is not from 0s to 10y`},
		{"MinDelay 2d", `1: MinDelay: "2d" is not from 0s to 1d`},
		{"Index maybe", `1: Index: "maybe" is neither yes nor no`},
		{"AuthBasic user\nServer http://a/", "1: AuthBasic: the value is not user:password"},
		{"Sitemap maybe", `1: Sitemap: "maybe" is neither an absolute URL nor yes or no`},
		{"Sitemap ftp://a/s.xml", `1: Sitemap: "ftp://a/s.xml" is not an absolute http or https URL`},
		{"Sitemap http://u:p@a/s.xml\nServer http://a/", "1: Sitemap: the URL contains a user name; AuthBasic of its Server is sent"},
		{"Server http://a/\nSitemap http://a/s.xml", "2: Sitemap: no Server line follows; Sitemap URL applies to the next Server only"},
		{"Sitemap no\nSitemap http://a/s.xml\nServer http://a/", "2: Sitemap: Sitemap no holds for the Server line that follows"},
		{
			"Server http://a/\nSitemap http://A/s.xml\nServer http://b/",
			`2: Sitemap: it belongs to the next Server, "http://b/", but is of the host of the Server at sets.cnf:1: write it above that line`,
		},
		{"Server http://a/\nAuthBasic u:p", "2: AuthBasic: no Server line follows; AuthBasic applies to the next Server only"},
		{"AuthBasic u:p\nServer http://v:q@a/", "2: Server: both AuthBasic and the URL contain a user name"},
		{"Schedule sometimes", `1: Schedule: "sometimes" is not one of period, adaptive`},
		{"Schedule", "1: Schedule: a value is missing"},
		{"DeleteBad x", `1: DeleteBad: "x" is neither yes nor no`},
		{"Tag 1\nCrawlFrequently", "2: CrawlFrequently: a pattern is missing"},
		{`CrawlInfrequently a ""`, "1: CrawlInfrequently: an empty pattern matches every URL; write .* if you mean that"},
		{"ForceRecrawl a (", `1: ForceRecrawl: bad pattern "(": missing closing ): "(?i)("`},
		{"DuplicateHost www.example.org", "1: DuplicateHost: want a host and its duplicates; write: DuplicateHost www.example.org example.org"}, // B79
		{"DuplicateHost a http://b/c", `1: DuplicateHost: "http://b/c" is a URL, no host; write: b`},
		{"DuplicateHost a b:8080", `1: DuplicateHost: "b:8080" is no host: want a name or an address, without scheme, port and path`},
		{"DuplicateHost a *.b", `1: DuplicateHost: "*.b" is no host: want a name or an address, without scheme, port and path`},
		{"DuplicateHost a b A.", "1: DuplicateHost: a stands twice in the line"},
		{"DuplicateHost a b\nDuplicateHost c B", "2: DuplicateHost: b is a duplicate of a already (line 1)"},
		{"DuplicateHost a b\nDuplicateHost b c", "2: DuplicateHost: b is a duplicate of a already (line 1)"},
		{"DuplicateHost a b\nDuplicateHost c a", "2: DuplicateHost: a has duplicates of its own (line 1); name them all in one line"},
		{"JumpPage x", `1: JumpPage: "x" is neither yes nor no`},
		{"IgnoreMeta x", `1: IgnoreMeta: "x" is neither yes nor no`},
		{"LeaveOut", "1: LeaveOut: no value; write: LeaveOut .menu #sidebar, or: LeaveOut none"},
		{"Charset", "1: Charset: a value is missing"},
		{"Charset klingon", `1: Charset: "klingon" is no charset that browsers know, such as windows-1251, koi8-r, shift_jis; auto guesses it`},
		{"Charset UTF-16", `1: Charset: "UTF-16" cannot be the charset of pages that do not say so`},
		{"Replace (", `1: Replace: bad pattern "(": missing closing ): "(?i)("`},
		{"Replace a b c", "1: Replace: 3 values, expected a pattern and what replaces it (put a value with spaces in double quotes)"},
		{"Replace x*", `1: Replace: the pattern "x*" matches the empty text and would be replaced everywhere`},
		{`Replace (a) \2`, `1: Replace: "\\2" names group 2, and the pattern has 1`},
		{"Robots x", `1: Robots: "x" is neither yes nor no`},
		{
			"Robots no\nServer http://www.example.org/",
			"2: Server: Robots no is for hosts of your own, which www.example.org is not known to be; write in spider.cnf: AllowHost www.example.org",
		},
		{
			"Robots no\nServer http://198.51.100.1/",
			"2: Server: Robots no is for hosts of your own, which 198.51.100.1 is not known to be; it is for private and loopback addresses",
		},
	} {
		got := problems(t, files{setsName: c.text}, nil)
		if diff := cmp.Diff([]string{setsName + ":" + c.want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}
