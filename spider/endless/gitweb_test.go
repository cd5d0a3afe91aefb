package endless

import (
	"crypto/md5"
	"fmt"
	"strings"
	"testing"
)

// TestFilesWithoutDot verifies that a file is not taken for a view because its name is a word: of a repository as gitweb shows
// it, with 80 commits and 605 such files, all files and commits are fetched, and versions of files are paused.
func TestFilesWithoutDot(t *testing.T) {
	const commits = 80
	id := func(n int) string { return fmt.Sprintf("%x", md5.Sum([]byte(fmt.Sprint("c", n))))[:30] + "1a1a1a1a1a" }
	sub := func(d string) (subs, files []string) {
		if strings.Count(d, "/") < 4 {
			for i := range 3 {
				subs = append(subs, fmt.Sprintf("%s%c/", d, 'a'+i))
			}
		}
		for i := range 5 {
			files = append(files, fmt.Sprintf("%s%cfile", d, 'p'+i))
		}
		return
	}
	h := func(s string) string { return fmt.Sprintf("%x", md5.Sum([]byte(s)))[:30] + "1a1a1a1a1a" }
	num := map[string]int{"HEAD": commits, "refs": commits}
	for n := range commits + 1 {
		num[id(n)] = n
	}
	all := []string{}
	var walk func(d string)
	walk = func(d string) {
		s, f := sub(d)
		all = append(all, f...)
		for _, x := range s {
			walk(x)
		}
	}
	walk("")
	seen := map[string]bool{}
	seenC := map[string]bool{}
	version := func(f string, at int) int { return (at + len(f)*7) / 40 }
	site := func(path string) (string, []string) {
		if path == "/" {
			return menu, []string{"/?p=x;a=summary"}
		}
		q := map[string]string{}
		for _, kv := range strings.Split(path[2:], ";") {
			k, v, _ := strings.Cut(kv, "=")
			q[k] = v
		}
		var l []string
		add := func(f string, a ...any) { l = append(l, fmt.Sprintf("/?p=x;"+f, a...)) }
		at, ok := num[q["hb"]]
		if !ok {
			at = num[q["h"]]
		}
		f := q["f"]
		switch q["a"] {
		case "summary":
			add("a=shortlog")
			add("a=tree")
			for n := commits; n > commits-16; n-- {
				add("a=commit;h=%s", id(n))
				add("a=commitdiff;h=%s", id(n))
				add("a=tree;h=%s;hb=%s", id(n), id(n))
			}
			return menu + "summary", l
		case "shortlog", "log":
			for n := commits; n > 0; n-- {
				add("a=commit;h=%s", id(n))
				add("a=commitdiff;h=%s", id(n))
				add("a=tree;h=%s;hb=%s", id(n), id(n))
			}
			return menu + "log", l
		case "commit":
			seenC[q["h"]] = true
			if at > 0 {
				add("a=commit;h=%s", id(at-1))
			}
			add("a=tree;h=%s;hb=%s", h(fmt.Sprint("t", at)), q["h"])
			x := all[at*37%len(all)]
			add("a=blob;f=%s;h=%s;hb=%s", x, h(fmt.Sprint(x, version(x, at))), q["h"])
			add("a=history;f=%s;hb=%s", x, q["h"])
			add("a=shortlog;h=%s", q["h"])
			return menu + lorem(q["h"], 30), l
		case "commitdiff":
			return menu + lorem(q["h"], 60), append(l, "/?p=x;a=commit;h="+q["h"])
		case "tree":
			hb := q["hb"]
			if hb == "" {
				hb = "HEAD"
			}
			at = num[hb]
			s, fs := sub(f)
			for _, x := range s {
				add("a=tree;f=%s;h=%s;hb=%s", x, h(fmt.Sprint(x, at/10)), hb)
				add("a=history;f=%s;h=%s;hb=%s", x, h(fmt.Sprint(x, at/10)), hb)
			}
			for _, x := range fs {
				add("a=blob;f=%s;h=%s;hb=%s", x, h(fmt.Sprint(x, version(x, at))), hb)
				add("a=history;f=%s;h=%s;hb=%s", x, h(fmt.Sprint(x, version(x, at))), hb)
				add("a=blob_plain;f=%s;hb=%s", x, hb)
			}
			add("a=tree;f=%s;hb=HEAD", f)
			text := menu + "tree "
			for _, x := range append(s, fs...) {
				text += strings.ReplaceAll(lorem(x, 2), " ", "") + " blob history raw "
			}
			return text, l
		case "blob", "blob_plain":
			if version(f, at) == version(f, commits) {
				seen[f] = true
			}
			add("a=history;f=%s;hb=%s", f, q["hb"])
			add("a=blob;f=%s;hb=HEAD", f)
			return menu + lorem(fmt.Sprint(f), 100) + lorem(fmt.Sprint(f, version(f, at)), 10), l
		case "history":
			for n := commits; n > 0; n-- {
				if all[n*37%len(all)] == f {
					add("a=commitdiff;h=%s", id(n))
					add("a=blob;f=%s;hb=%s", f, id(n))
				}
			}
			add("a=tree;hb=%s", q["hb"])
			return menu + "history " + strings.ReplaceAll(lorem(f, 2), " ", ""), l
		}
		return menu, nil
	}
	paused, fetched := crawlMade(t, site, 9000)
	if len(seen) != len(all) || len(seenC) != commits+1 {
		t.Errorf("%d pages: %d of %d files, %d of %d commits; paused %q", fetched, len(seen), len(all), len(seenC), commits+1, paused)
	}
	if fetched > 2500 {
		t.Errorf("%d pages; paused %q", fetched, paused)
	}
}
