package e2e

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestSiteWithAPort: site: finds a host whatever its port, before and after the merge, and a name that no site has is told.
func TestSiteWithAPort(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", "<title>home</title>apple")
	host := strings.TrimPrefix(site.URL, "http://")
	w := newWorld(t, "Server "+site.URL+"/\n")
	for _, when := range []string{"real time", "merged"} {
		if when == "merged" {
			w.merged()
		} else {
			w.index("-T", site.URL+"/")
		}
		for query, found := range map[string]bool{
			"apple site:127.0.0.1": true, "apple site:" + host: true, "apple site:0.1": true, "apple -site:127.0.0.1": false,
			"apple site:127.0.0.1:1": false, "apple site:127.0.0": true, "apple site:0.0.1.1": false,
		} {
			code, out, errOut := w.try("--search", query)
			if code != exitDone || strings.Contains(out, site.URL) != found {
				t.Errorf("%s, %s: exit %d, want found %v\n%s%s", when, query, code, found, out, errOut)
			}
			if unknown := strings.Contains(query, "0.1:1") || strings.Contains(query, "1.1"); strings.Contains(out+errOut, "The index has no site") != unknown {
				t.Errorf("%s, %s: a note about an unknown site: want %v\n%s%s", when, query, unknown, out, errOut)
			}
		}
	}
}
