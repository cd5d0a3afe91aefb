package spider

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/robots"
	"github.com/pgseek/pgseek/spider/weburl"
)

// TestKeepingOut verifies that the lines which keep a removed page out fit this page and no other one.
func TestKeepingOut(t *testing.T) {
	for _, c := range []struct{ page, other string }{
		{"http://www.example.org/", "http://www.example.org/a"},
		{"http://www.example.org/a.b?x=1&y=(2)", "http://www.example.org/a.b?x=1&y=(2)3"},
		{"http://www.example.org/a*b/$c", "http://www.example.org/a*b/$cd"},
		{"http://www.example.org/%E3%81%82+", "http://www.example.org/%E3%81%82%E3%81%82"},
	} {
		page, err := weburl.Typed(c.page, 0)
		if err != nil {
			t.Fatal(err)
		}
		other, _ := weburl.Typed(c.other, 0)
		r := keepingOut(page)
		re, err := regexp.Compile("(?i)" + strings.TrimPrefix(r.Sets, "Disallow "))
		if err != nil || !re.MatchString(page.Text) || re.MatchString(other.Text) || strings.ContainsAny(r.Sets[9:], " \t#\"") {
			t.Errorf("%s: sets.cnf %s", page.Text, r.Sets)
		}
		rules := robots.Parse([]byte("User-agent: *\n"+r.Robots+"\n"), "pgseek")
		if in, _ := rules.Allowed(page.Path); in {
			t.Errorf("%s: robots.txt: %s does not fit", page.Text, r.Robots)
		}
		if in, _ := rules.Allowed(other.Path); !in {
			t.Errorf("%s: robots.txt: %s", other.Text, r.Robots)
		}
	}
}
