package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// TestSearchAddress: a query that is the address of a document has that document first, also one without any word of its address (C6).
func TestSearchAddress(t *testing.T) {
	t.Parallel()
	files := map[string]string{"target.html": "<title>Walrus</title>quiet page"}
	for i := range 9 {
		files[fmt.Sprintf("other%d.txt", i)] = "file target html target html"
	}
	root := fileTree(t, files)
	w := newWorld(t, "Server "+fileURL(root+"/")+"\n")
	w.spider("FileRoot " + root)
	w.crawl()
	target := fileURL(root + "/target.html")
	firstOf := func(args ...string) string {
		for line := range strings.Lines(w.index(append([]string{"--search"}, args...)...)) {
			if address := strings.TrimSpace(line); strings.HasPrefix(address, "file:///") {
				return address
			}
		}
		return ""
	}
	for _, c := range []struct {
		name string
		args []string
		want bool
	}{
		{"address", []string{target}, true},
		{"with blanks around it", []string{" " + target + " "}, true},
		{"scheme in capital letters", []string{"FILE" + strings.TrimPrefix(target, "file")}, true},
		{"with facets", []string{target, "--facets"}, true},
		{"all words", []string{target, "--match-all"}, true},
		{"results of a site together", []string{target, "--gr", "on"}, true},
		{"explained", []string{target, "--why"}, true},
		{"a filter that it passes", []string{target, "--type", "html"}, true},
		{"a filter that it does not pass", []string{target, "--type", "text"}, false},
		{"a path that it is not below", []string{target, "--path", "/none/"}, false},
		{"more words", []string{target + " file"}, false},
		{"second page", []string{target, "--per-page", "2", "--page", "2"}, false},
	} {
		if got := firstOf(c.args...); (got == target) != c.want {
			t.Errorf("%s: first is %s", c.name, got)
		}
	}
	if got := firstOf(fileURL(root + "/none.html")); got == target {
		t.Errorf("another address: first is %s", got)
	}
}
