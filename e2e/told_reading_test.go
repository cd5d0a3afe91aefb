package e2e

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestToldThatDocumentsAreReadLater: a crawl says once that stored documents keep their words and dates when DateRule, KeepNavigation
// or LeaveOut has changed. It says nothing on an empty database, after other changes, when it visits all of them, or after a rebuild.
func TestToldThatDocumentsAreReadLater(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<title>Report of 3 April 2002</title>Some words. <div class="side">weather</div>`)
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, "LeaveOut .side\n"+server)
	for _, c := range []struct {
		sets string
		args []string
		told bool
	}{
		{"LeaveOut .side\n", nil, false},
		{"DateRule . title\n", nil, true},
		{"DateRule . title\n", nil, false},
		{"Period 9d\nDisallow nothing\nDateRule . title\n", nil, false},
		{"KeepNavigation yes\n", []string{"-a"}, false},
		{"", []string{"-a", "-u", "%/none"}, true},
		{"LeaveOut .side\n", []string{"--rebuild-index"}, false},
		{"LeaveOut .side\n", nil, false},
	} {
		w.sets(c.sets + server)
		code, _, errOut := w.try(c.args...)
		const text = "documents keep their words and dates until their next visit; index --rebuild-index reads them now"
		if told := strings.Contains(errOut, text); code != 0 || told != c.told {
			t.Errorf("%q %q: code %d, told %v, want %v:\n%s", c.sets, c.args, code, told, c.told, errOut)
		}
	}
}
