package robots

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRobotsAllowed(t *testing.T) {
	all := func(rules ...string) string { return "User-agent: *\n" + strings.Join(rules, "\n") + "\n" }
	tests := []struct {
		name, body, path, rule string // rule: what decided; "" none
		want                   bool
	}{
		{"no rules", "", "/a", "", true},
		{"prefix", all("Disallow: /fish"), "/fishheads/yummy.html", "2: Disallow: /fish", false},
		{"case matters in paths", all("Disallow: /fish"), "/Fish.asp", "", true},
		{"anchored at the start", all("Disallow: /fish"), "/catfish", "", true},
		{"a query belongs to the path", all("Disallow: /fish"), "/fish?id=1", "2: Disallow: /fish", false},
		{"empty Disallow is no rule", all("Disallow:"), "/a", "", true},
		{"longest wins", all("Disallow: /a", "Allow: /a/b", "Disallow: /a/b/c"), "/a/b/x", "3: Allow: /a/b", true},
		{"longest wins, whatever the order", all("Allow: /a/b", "Disallow: /"), "/a/b", "2: Allow: /a/b", true},
		{"Allow wins a tie", all("Disallow: /a", "Allow: /a"), "/a", "3: Allow: /a", true},
		{"Allow wins a tie of different patterns", all("Disallow: /*a", "Allow: /ba"), "/ba", "3: Allow: /ba", true},
		{"asterisk", all("Disallow: /*.php"), "/a/b.php?x", "2: Disallow: /*.php", false},
		{"asterisk stands for nothing too", all("Disallow: /a*b"), "/ab", "2: Disallow: /a*b", false},
		{"asterisk first", all("Disallow: *.php"), "/a.php", "2: Disallow: *.php", false},
		{"wildcards are anchored", all("Disallow: /b/*.php"), "/a/b/c.php", "", true},
		{"end", all("Disallow: /*.php$"), "/a.php", "2: Disallow: /*.php$", false},
		{"end is the end", all("Disallow: /*.php$"), "/a.php?x", "", true},
		{"end takes the last place", all("Disallow: /*.php$"), "/a.php.php", "2: Disallow: /*.php$", false},
		{"end alone", all("Disallow: /$"), "/", "2: Disallow: /$", false},
		{"end alone is no prefix", all("Disallow: /$"), "/a", "", true},
		{"dollar inside is a dollar", all("Disallow: /a$b"), "/a$bc", "2: Disallow: /a$b", false},
		{"parts do not overlap", all("Disallow: /ab*ba$"), "/aba", "", true},
		{"literal asterisk", all("Disallow: /a%2Ab"), "/a*b", "2: Disallow: /a%2Ab", false},
		{"literal asterisk is no wildcard", all("Disallow: /a%2Ab"), "/axb", "", true},
		{"escapes of unreserved characters", all("Disallow: /foo/bar/%62%61%7A"), "/foo/bar/baz", "2: Disallow: /foo/bar/%62%61%7A", false},
		{"escapes in the path", all("Disallow: /baz"), "/%62a%7a", "2: Disallow: /baz", false},
		{"raw UTF-8 in the rule", all("Disallow: /foo/ツ"), "/foo/%E3%83%84", "2: Disallow: /foo/ツ", false},
		{"small digits", all("Disallow: /foo/%e3%83%84"), "/foo/%E3%83%84", "2: Disallow: /foo/%e3%83%84", false},
		{"reserved characters escaped in the path", all("Disallow: /bar?baz=https://foo.bar"), "/bar?baz=https%3A%2F%2Ffoo.bar", "2: Disallow: /bar?baz=https://foo.bar", false},
		{"reserved characters escaped in the rule", all("Disallow: /bar?baz=https%3A%2F%2Ffoo.bar"), "/bar?baz=https://foo.bar", "2: Disallow: /bar?baz=https%3A%2F%2Ffoo.bar", false},
		{"an escaped slash of a path is no slash", all("Disallow: /a/b"), "/a%2Fb", "", true},
		{"robots.txt itself", all("Disallow: /"), "/robots.txt", "", true},
		{"no path is the root", all("Disallow: /"), "", "2: Disallow: /", false},
		{"rules without a leading slash are ignored", all("Disallow: fish", "Disallow: http://h/"), "/fish", "", true},

		{"our group, not everybody's", "User-agent: *\nDisallow: /\nUser-agent: pgseek\nDisallow: /a\n", "/b", "", true},
		{"our group's rule", "User-agent: *\nDisallow: /\nUser-agent: pgseek\nDisallow: /a\n", "/a", "4: Disallow: /a", false},
		{"our empty group opens", "User-agent: pgseek\nDisallow:\n\nUser-agent: *\nDisallow: /\n", "/b", "", true},
		{"agents without case", "USER-AGENT: PgSeek\ndisAllow: /a\n", "/a", "2: Disallow: /a", false},
		{"agents with a version", "User-agent: pgseek/9\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"the token, not a prefix", "User-agent: pg\nDisallow: /a\nUser-agent: pgseekbot\nDisallow: /a\n", "/a", "", true},
		{"a name with an asterisk", "User-agent: pgseek*\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"a name with an asterisk is no other name", "User-agent: pg*\nDisallow: /a\n", "/a", "", true},
		{"a list of names: the first", "User-agent: pgseek, otherbot\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"a list of names: the last", "User-agent: otherbot,x , PgSeek\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"a list of names without us", "User-agent: otherbot, x\nDisallow: /a\n", "/a", "", true},
		{"a list with blanks", "User-agent: otherbot pgseek x\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"a list with everybody", "User-agent: otherbot, *\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"a list is one group, and ours by name", "User-agent: *\nDisallow: /b\nUser-agent: x, pgseek\nDisallow: /a\n", "/b", "", true},
		{"a semicolon behind the name", "User-agent: pgseek;\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"a whole user agent", "User-agent: Mozilla/5.0 (compatible; pgseek/0.1; +http://h/)\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"an asterisk within a name is not everybody", "User-agent: *bot\nDisallow: /a\n", "/a", "", true},
		{"a digit belongs to the name", "User-agent: pgseek2\nDisallow: /a\n", "/a", "", true},
		{"groups of one agent are merged", "User-agent: pgseek\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: pgseek\nDisallow: /c\n", "/c", "6: Disallow: /c", false},
		{"merged groups: the first", "User-agent: pgseek\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: pgseek\nDisallow: /c\n", "/a", "2: Disallow: /a", false},
		{"merged groups: not the other", "User-agent: pgseek\nDisallow: /a\nUser-agent: x\nDisallow: /b\nUser-agent: pgseek\nDisallow: /c\n", "/b", "", true},
		{"agents in a row share a group", "User-agent: x\n\nUser-agent: pgseek\nUser-agent: y\nDisallow: /a\n", "/a", "5: Disallow: /a", false},
		{"other lines do not part them", "User-agent: pgseek\nCrawl-delay: 5\nSitemap: http://h/s\nUser-agent: y\nDisallow: /a\n", "/a", "5: Disallow: /a", false},
		{"rules without agent are ignored", "Disallow: /a\n", "/a", "", true},

		{"B35: BOM", "\ufeffUser-agent: *\nDisallow: /a\n", "/a", "2: Disallow: /a", false},
		{"B35: CR line ends", "User-agent: *\rDisallow: /x\rDisallow: /a\r", "/a", "3: Disallow: /a", false},
		{"B35: CR LF line ends", "User-agent: *\r\nDisallow: /x\r\nDisallow: /a\r\n", "/a", "3: Disallow: /a", false},
		{"B35: no line end at the end", "User-agent: *\nDisallow: /a", "/a", "2: Disallow: /a", false},
		{"B35: comments and spaces", " User-agent :\t* # all\n\tDisallow : /a # here\n", "/a", "2: Disallow: /a", false},
		{"B35: HTML", "<html><p>User-agent: *\n<p>Disallow: /\n</html>", "/a", "", true},
		{"B35: junk between rules", all("\x00\xff\xfe:::", "Disallow /b", ":", "Disallow: /a"), "/a", "5: Disallow: /a", false},
		{"B35: lines are cut at 16 KiB", all("Disallow: /" + strings.Repeat(" ", 16<<10) + "Allow: /a"), "/a", "2: Disallow: /", false},
		{"B35: a rule within 512,000 bytes", all(strings.Repeat("#\n", 255_000), "Disallow: /a"), "/a", "255003: Disallow: /a", false},
		{"B35: a rule behind them", all(strings.Repeat("#\n", 256_000), "Disallow: /a"), "/a", "", true},
		{"B35: the line that is cut in two is no rule", all(strings.Repeat("#\n", 255_986), "Disallow: /abcdefghijklmnopqrstuvwxyz"), "/a", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, rule := Parse([]byte(tt.body), "pgseek/0.1 (+http://h/)").Allowed(tt.path)
			if got != tt.want || rule.String() != tt.rule {
				t.Errorf("Allowed(%q) = %v by %q, want %v by %q", tt.path, got, rule, tt.want, tt.rule)
			}
		})
	}
}

func TestRobotsWithoutBodyHasNoRules(t *testing.T) { // B34
	r := Parse(nil, "pgseek/0.1")
	if ok, rule := r.Allowed("/a"); !ok || rule.String() != "" {
		t.Errorf("Allowed = %v by %q", ok, rule)
	}
	if r.Disallow() != nil || r.Allow() != nil {
		t.Errorf("patterns %q, %q", r.Disallow(), r.Allow())
	}
}

func TestRobotsPatterns(t *testing.T) {
	r := Parse([]byte("User-agent: *\nDisallow: /a\nAllow: /a/%62*$\nDisallow: /long\nDisallow: /%61\nUser-agent: x\nDisallow: /x\n"), "pgseek")
	if d := cmp.Diff([]string{"/long", "/a"}, r.Disallow()); d != "" {
		t.Errorf("Disallow (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"/a/%62*$"}, r.Allow()); d != "" {
		t.Errorf("Allow (-want +got):\n%s", d)
	}
	r.Disallow()[0] = "changed"
	if got := r.Disallow()[0]; got != "/long" {
		t.Errorf("the caller's change of its slice reached the rules: %q", got)
	}
}

func TestRobotsSitemaps(t *testing.T) {
	body := "SITEMAP : http://h/a.xml # main\nUser-agent: pgseek\nSitemap: https://cdn/b.xml\nDisallow: /a\n\nUser-agent: x\nsitemap:/c.xml\n" +
		"Sitemap: http://h/a.xml\nSitemap:\n"
	r := Parse([]byte(body), "pgseek")
	if d := cmp.Diff([]string{"http://h/a.xml", "https://cdn/b.xml", "/c.xml"}, r.Sitemaps()); d != "" {
		t.Errorf("Sitemaps (-want +got):\n%s", d)
	}
	if ok, rule := r.Allowed("/a"); ok {
		t.Errorf("a Sitemap line ended the group: %v", rule)
	}
	if r.Hash() != Parse([]byte("User-agent: pgseek\nDisallow: /a\n"), "pgseek").Hash() {
		t.Error("the hash of the rules depends on Sitemap lines")
	}
	if n := len(Parse([]byte(strings.Repeat("Sitemap: a\n", 10)+numbered(2000)), "pgseek").Sitemaps()); n != 1000 {
		t.Errorf("%d sitemaps", n)
	}
}

// numbered returns n different Sitemap lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Sitemap: http://h/%d.xml\n", i)
	}
	return b.String()
}

func TestRobotsHash(t *testing.T) { // links are read again when the rules change, and only then
	hash := func(body string) [16]byte { return Parse([]byte(body), "pgseek").Hash() }
	base := hash("User-agent: *\nDisallow: /a\nAllow: /b\n")
	for _, same := range []string{
		"# hello\nUser-agent: *\n\nAllow: /b\nDisallow: /a\n",
		"User-agent: x\nDisallow: /x\nUser-agent: *\nDisallow: /a\nAllow: /%62\nAllow: /b\n",
		"User-agent: PGSEEK\nDisallow: /a\nAllow: /b\n",
	} {
		if hash(same) != base {
			t.Errorf("other hash for %q", same)
		}
	}
	for _, other := range []string{"", "User-agent: *\nDisallow: /a\n", "User-agent: *\nAllow: /a\nDisallow: /b\n", "User-agent: *\nDisallow: /a*\nAllow: /b\n"} {
		if hash(other) == base {
			t.Errorf("same hash for %q", other)
		}
	}
	if hash("") != Parse(nil, "pgseek").Hash() {
		t.Error("an empty file differs from none")
	}
}

func TestRobotsRuleIsFitForALog(t *testing.T) {
	_, rule := Parse([]byte("User-agent: *\nDisallow: /\x1b[31m*\n"), "pgseek").Allowed("/%1B[31mx")
	if got, want := rule.String(), `2: Disallow: /\x1b[31m*`; got != want {
		t.Errorf("rule %q, want %q", got, want)
	}
}

// A pattern of asterisks against a path that nearly matches: a matcher that comes back to each of them never
// ends.
func TestRobotsManyAsterisks(t *testing.T) {
	r := Parse([]byte("User-agent: *\nDisallow: /"+strings.Repeat("a*", 1000)+"b$\n"), "pgseek")
	if ok, _ := r.Allowed("/" + strings.Repeat("a", 2000)); !ok {
		t.Error("forbidden, want allowed")
	}
	if ok, _ := r.Allowed("/" + strings.Repeat("a", 2000) + "b"); ok {
		t.Error("allowed, want forbidden")
	}
}

// globs is the meaning of a pattern, as slow as it is plain: a table of which prefix of one matches which of
// the other.
func globs(pattern, path string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	if !whole {
		pattern += "*"
	}
	now := make([]bool, len(path)+1)
	now[0] = true
	for i := range len(pattern) {
		next := make([]bool, len(path)+1)
		for j := range next {
			if pattern[i] == '*' {
				next[j] = now[j] || j > 0 && next[j-1]
			} else {
				next[j] = j > 0 && now[j-1] && path[j-1] == pattern[i]
			}
		}
		now = next
	}
	return now[len(path)]
}

func FuzzRobots(f *testing.F) {
	for _, body := range []string{
		"User-agent: *\nDisallow: /a*b$\nAllow: /a\n", "\ufeffUser-agent: pgseek\rDisallow: /%2a%61$b\r\n", "<html>\x00",
		"User-agent: a\nUser-agent: pgseek\nDisallow: *ab*ba*$\nDisallow: /?x=%2F\nAllow: /**$\n", "Disallow: /\nUser-agent:*\nallow:/x#y",
	} {
		for _, path := range []string{"/", "/ab", "/aba?b=%2Fc", "/%61b*$", "", "/?x=/"} {
			f.Add([]byte(body), path)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		if len(body) > 512 || len(path) > 128 {
			t.Skip()
		}
		was := bytes.Clone(body)
		r := Parse(body, "pgseek/0.1")
		got, rule := r.Allowed(path)
		if !bytes.Equal(was, body) {
			t.Fatal("the body was changed")
		}
		if path == "/robots.txt" || path == "" {
			return
		}
		want, best := true, -1
		for i := range r.rules {
			p := &r.rules[i].match
			matched := false
			for _, form := range pathForms(path) {
				if g := globs(p.text, form); g != p.matches(form) {
					t.Fatalf("%q on %q: want %v", p.text, form, g)
				} else if g {
					matched = true
				}
			}
			if matched && (p.length() > best || p.length() == best && r.rules[i].allow) {
				want, best = r.rules[i].allow, p.length()
			}
		}
		if got != want || (best >= 0) != (rule.Line > 0) {
			t.Fatalf("%q on %q: %v by %v, want %v", path, body, got, rule, want)
		}
		if len(r.Disallow())+len(r.Allow()) != len(r.rules) {
			t.Fatal("patterns and rules differ")
		}
	})
}

// TestCrawlDelay: the pause of our groups counts, else that of everybody's, the longest of several. What is no positive number is
// none (B67).
func TestCrawlDelay(t *testing.T) {
	for _, c := range []struct {
		body string
		want time.Duration
	}{
		{"", 0},
		{"User-agent: *\nCrawl-delay: 5", 5 * time.Second},
		{"User-agent: *\ncrawl-delay:0.25 # a quarter", 250 * time.Millisecond},
		{"User-agent: *\nCrawl-delay: 5\nUser-agent: pgseek\nDisallow: /x", 0},
		{"User-agent: *\nCrawl-delay: 5\nUser-agent: pgseek\nCrawl-delay: 2", 2 * time.Second},
		{"User-agent: other\nCrawl-delay: 5", 0},
		{"Crawl-delay: 5\nUser-agent: *\nDisallow: /x", 0},
		{"User-agent: *\nCrawl-delay: 1\nDisallow: /x\nCrawl-delay: 3\n\nUser-agent: *\nCrawl-delay: 2", 3 * time.Second},
		{"User-agent: a\nCrawl-delay: 9\nUser-agent: *\nDisallow: /x", 0}, // it is of the agents above it
		{"User-agent: *\nCrawl-delay: -1", 0},
		{"User-agent: *\nCrawl-delay: NaN", 0},
		{"User-agent: *\nCrawl-delay: ten", 0},
		{"User-agent: *\nCrawl-delay: 5s", 0},
		{"User-agent: *\nCrawl-delay: 1,5", 0},
		{"User-agent: *\nCrawl-delay: 5 10", 0},
		{"User-agent: *\nCrawl-delay:", 0},
		{"User-agent: *\nCrawl-delay: Inf", longestDelay},
		{"User-agent: *\nCrawl-delay: 1e999", longestDelay},
		{"User-agent: *\nCrawl-delay: 99999999999999999999", longestDelay},
	} {
		if got := Parse([]byte(c.body), "pgseek/0.1").CrawlDelay(); got != c.want {
			t.Errorf("%q: %v, want %v", c.body, got, c.want)
		}
	}
	with, without := Parse([]byte("User-agent: *\nDisallow: /x\nCrawl-delay: 5"), "pgseek"), Parse([]byte("User-agent: *\nDisallow: /x"), "pgseek")
	if with.Hash() != without.Hash() {
		t.Error("Crawl-delay changes the hash of the rules")
	}
}
