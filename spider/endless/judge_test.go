package endless

import (
	"crypto/md5"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/document"
)

// A page of a made site: its text and its links.
type madePage func(path string) (text string, links []string)

// crawlMade walks a made site breadth first, as a crawl does, and returns the patterns that the detector pauses, in
// order, and the number of pages that were fetched, at most limit.
func crawlMade(t *testing.T, page madePage, limit int) (paused []string, fetched int) {
	t.Helper()
	const site = "http://a.test"
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	e := New()
	queue, known := []string{"/"}, map[string]bool{"/": true}
	off := NewPaused()
	barred := func(url string) bool { return off.By(url) != "" }
	for ; len(queue) > 0 && fetched < limit; queue = queue[1:] {
		url := site + queue[0]
		if barred(url) {
			continue
		}
		fetched++
		text, links := page(queue[0])
		// With a language, as to guess one costs more than all the rest.
		doc, err := document.Parse([]byte("<html lang=\"en\"><body>"+text), "text/html; charset=utf-8", rules)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, l := range links {
			if known[l] || barred(site+l) {
				continue
			}
			known[l] = true
			found = append(found, site+l)
			queue = append(queue, l)
			e.Grew(site + l)
		}
		e.FoundOn(url, found)
		for _, n := range e.Visited(url, doc) {
			off.Add(n.Pattern, n.Except)
			paused = append(paused, strings.TrimPrefix(n.Pattern, site))
		}
	}
	return paused, fetched
}

// lorem is a text of n words that follows from a number.
func lorem(seed string, n int) string {
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon")
	sum := md5.Sum([]byte(seed))
	var b strings.Builder
	for i := range n {
		if i%16 == 0 {
			sum = md5.Sum(sum[:])
		}
		b.WriteString(words[int(sum[i%16])%len(words)] + " ")
	}
	return b.String()
}

const menu = "<p>Home About Imprint Contact Search this site and more of what every page has</p>"

// Sites that end, however alike their URLs are: nothing is paused.
func TestEndlessPausesNothingGood(t *testing.T) {
	id := func(path string) (n int) {
		_, value, _ := strings.Cut(path, "=")
		_, _ = fmt.Sscanf(value, "%d", &n)
		return n
	}
	for name, site := range map[string]madePage{
		"5000 numbered pages, each links to the next": func(path string) (string, []string) {
			n := id(path)
			if n == 5000 {
				return menu + lorem(path, 20), nil
			}
			return menu + lorem(path, 20), []string{fmt.Sprintf("/show?id=%d", n+1)}
		},
		"5000 numbered pages that differ in their number": func(path string) (string, []string) {
			n := id(path)
			if n == 5000 {
				return menu, nil
			}
			return fmt.Sprintf("%sThis is number %d of the collection", menu, n), []string{fmt.Sprintf("/show?id=%d", n+1)}
		},
		"1500 numbered pages in lists of 50": func(path string) (string, []string) {
			var links []string
			n := id(path)
			switch {
			case path == "/":
				return menu, []string{"/list?page=0"}
			case strings.HasPrefix(path, "/list"):
				for i := range 50 {
					links = append(links, fmt.Sprintf("/show?id=%d", 50*n+i))
				}
				if n < 29 {
					links = append(links, fmt.Sprintf("/list?page=%d", n+1))
				}
				return menu + "next", links
			}
			return menu + lorem(path, 15), nil
		},
		"ten years of news, months by years": func(path string) (string, []string) { return news(path, false) },
		"ten years of news, month by month":  func(path string) (string, []string) { return news(path, true) },
		"2900 manual pages": func(path string) (string, []string) {
			var links []string
			if path == "/" {
				for i := range 2900 {
					links = append(links, fmt.Sprintf("/man%d/%s.%d.html", i%8+1, strings.ReplaceAll(strings.TrimSpace(lorem(fmt.Sprint(i), 3)), " ", "_"), i%8+1))
				}
				return menu, links
			}
			return menu + lorem(path, 50), links
		},
	} {
		t.Run(name, func(t *testing.T) {
			if paused, fetched := crawlMade(t, site, 10_000); paused != nil {
				t.Errorf("paused after %d pages: %q", fetched, paused)
			}
		})
	}
}

// news is a page of a news site with a page of some text for each day. The pages of years and months have only the names of what
// they link to.
func news(path string, chained bool) (string, []string) {
	var links []string
	var year, month, day int
	n, _ := fmt.Sscanf(path, "/%d/%d/%d/", &year, &month, &day)
	switch n {
	case 3:
		return menu + lorem(path, 15), []string{fmt.Sprintf("/%04d/%02d/", year, month)}
	case 2:
		for d := range 28 {
			links = append(links, fmt.Sprintf("/%04d/%02d/%02d/", year, month, d+1))
		}
		if at := 12*year + month; chained && at < 12*2024+12 {
			links = append(links, fmt.Sprintf("/%04d/%02d/", at/12, at%12+1))
		}
		return fmt.Sprintf("%sNews of %d %d: 1 2 3 4 5 6 7 8 9 10 11 12 13", menu, month, year), links
	case 1:
		for m := range 12 {
			links = append(links, fmt.Sprintf("/%04d/%02d/", year, m+1))
		}
		return fmt.Sprintf("%sNews of %d", menu, year), links
	}
	if chained {
		return menu, []string{"/2015/01/", "/2024/12/28/"}
	}
	for y := 2015; y < 2025; y++ {
		links = append(links, fmt.Sprintf("/%d/", y))
	}
	return menu, append(links, "/2024/12/28/")
}

// Sites without end: the pattern is paused after some hundred pages, and the rest of the site is fetched.
func TestEndlessPauses(t *testing.T) {
	session := func(names ...string) madePage {
		count := 0
		return func(path string) (string, []string) {
			var links []string
			for _, name := range names {
				count++
				links = append(links, fmt.Sprintf("/%s?sid=%x", name, md5.Sum([]byte(fmt.Sprint(count)))))
			}
			name, _, _ := strings.Cut(path, "?")
			return menu + lorem(name, 50), links
		}
	}
	var articles []string
	for i := range 150 {
		articles = append(articles, strings.ReplaceAll(strings.TrimSpace(lorem(fmt.Sprint(i), 4)), " ", "-"))
	}
	for name, c := range map[string]struct {
		site madePage
		want []string
		most int
		all  string // URLs of this form are fetched,
		n    int    // so many
	}{
		"session ids of two pages":   {session("a", "b"), []string{"/a?sid=", "/b?sid="}, 300, "", 0},
		"session ids of 150 pages":   {session(articles...), []string{"/**?sid="}, 700, "", 0},
		"a calendar of months":       {calendar("/calendar/%d/%d/", "/calendar/2026/11/"), []string{"/calendar/{n}/{n}/"}, 200, "", 0},
		"a calendar by a query":      {calendar("/cal?y=%d&m=%d", "/cal?y=2026&m=11"), []string{"/cal?y=&m="}, 200, "", 0},
		"commits and files":          {commits, []string{"/repo/**?id="}, 4000, `^/repo/commit/\?id=`, 401},
		"commits and files in paths": {byPath(), []string{"/file/{id}/**"}, 4000, `^/rev/`, 401},
		"commits by one address":     {byView, []string{"/?a=&h="}, 2000, `^/\?a=commit&h=`, 401},
		"lists in eight orders":      {sorted, []string{"?C=&O="}, 1200, "", 0},
		"a wiki with revisions":      {wiki, []string{"/doku.php?id=&do="}, 2000, `^/doku.php\?id=\w+$`, 301},
	} {
		t.Run(name, func(t *testing.T) {
			asked, form := map[string]bool{}, regexp.MustCompile(c.all)
			paused, fetched := crawlMade(t, func(path string) (string, []string) {
				if form.MatchString(path) {
					asked[path] = true
				}
				return c.site(path)
			}, 20_000)
			if c.all != "" && len(asked) != c.n {
				t.Errorf("%d URLs like %s were fetched, want %d", len(asked), c.all, c.n)
			}
			t.Logf("%d pages, paused %q", fetched, paused)
			for _, w := range c.want {
				if !slices.ContainsFunc(paused, func(p string) bool { return strings.Contains(p, w) }) {
					t.Errorf("%s is not paused", w)
				}
			}
			if fetched > c.most {
				t.Errorf("%d pages were fetched, want %d at most", fetched, c.most)
			}
		})
	}
}

// calendar is an empty calendar: each month links to the one before and the one after.
func calendar(form, first string) madePage {
	return func(path string) (string, []string) {
		if path == "/" {
			return menu, []string{first}
		}
		var y, m int
		_, _ = fmt.Sscanf(path, form, &y, &m)
		at := 12*y + m - 1
		days := ""
		for d := range 28 + at%4 {
			days += fmt.Sprintf("<td>%d", d+1)
		}
		months := strings.Fields("January February March April May June July August September October November December")
		return fmt.Sprintf("%s%s %d Mon Tue Wed Thu Fri Sat Sun %s There are no events", menu, months[at%12], y, days),
			[]string{fmt.Sprintf(form, (at-1)/12, (at-1)%12+1), fmt.Sprintf(form, (at+1)/12, (at+1)%12+1)}
	}
}

// commits is a repository as cgit shows it: each view of each file in each of 400 commits, of which one links to the one before.
func commits(path string) (string, []string) {
	views := []string{"log", "tree", "commit", "diff", "plain"}
	if path == "/" {
		return menu, []string{"/repo/commit/?id=" + fmt.Sprintf("%040x", 400)}
	}
	rest, id, _ := strings.Cut(strings.TrimPrefix(path, "/repo/"), "?id=")
	view, file, _ := strings.Cut(rest, "/")
	var number int
	_, _ = fmt.Sscanf(id, "%x", &number)
	var links []string
	for _, v := range views {
		links = append(links, fmt.Sprintf("/repo/%s/%s?id=%s", v, file, id))
	}
	for i := range 30 {
		if file == "" && view == "tree" {
			links = append(links, fmt.Sprintf("/repo/tree/src/%cfile?id=%s", 'a'+i, id))
		}
	}
	if view == "commit" && number > 0 {
		links = append(links, fmt.Sprintf("/repo/commit/%s?id=%040x", file, number-1))
	}
	switch view {
	case "commit":
		return menu + file + " author somebody committer somebody " + lorem(id, 30), links
	case "log":
		return menu + file + lorem("log", 100), links
	}
	return menu + view + " " + file + lorem(view+file, 50), links
}

// byPath is a repository as Mercurial shows it, with the digests of its 400 commits in the paths.
func byPath() madePage {
	id := func(n int) string { return fmt.Sprintf("%x", md5.Sum([]byte(fmt.Sprint(n))))[:10] + "1a" }
	numbers := make(map[string]int)
	for n := range 401 {
		numbers[id(n)] = n
	}
	return func(path string) (string, []string) {
		if path == "/" {
			return menu, []string{"/rev/" + id(400)}
		}
		parts := strings.SplitN(path+"/", "/", 4)
		view, commit, file := parts[1], parts[2], strings.TrimSuffix(parts[3], "/")
		number := numbers[commit]
		var links []string
		list := func(views ...string) {
			for _, v := range views {
				links = append(links, strings.TrimSuffix("/"+v+"/"+commit+"/"+file, "/"))
			}
		}
		switch folder := !strings.Contains(file, "/"); {
		case view == "rev":
			list("file", "shortlog", "raw-rev")
			file = fmt.Sprintf("%cdir/%cfile", 'a'+number%5, 'a'+number%6)
			list("file", "annotate", "diff", "comparison")
			if number > 0 {
				links = append(links, "/rev/"+id(number-1))
			}
			return menu + "author somebody " + lorem(commit, 30), links
		case view == "file" && folder:
			for i := range 6 {
				links = append(links, fmt.Sprintf("%s/%c%s", path, 'a'+i, map[bool]string{true: "dir", false: "file"}[file == ""]))
			}
		case !folder:
			list("file", "annotate", "diff", "comparison", "log")
		}
		return menu + view + " " + file + lorem(view+file, 50), links
	}
}

// byView is a repository as gitweb shows it, with all views at one address.
func byView(path string) (string, []string) {
	if path == "/" {
		return menu, []string{fmt.Sprintf("/?a=commit&h=%040x", 400)}
	}
	view, id, _ := strings.Cut(strings.TrimPrefix(path, "/?a="), "&h=")
	var number int
	_, _ = fmt.Sscanf(id, "%x", &number)
	var links []string
	for _, v := range []string{"commit", "commitdiff", "tree", "shortlog", "snapshot"} {
		links = append(links, fmt.Sprintf("/?a=%s&h=%040x", v, number))
	}
	switch view {
	case "commit":
		if number > 0 {
			links = append(links, fmt.Sprintf("/?a=commit&h=%040x", number-1))
		}
		return menu + "author somebody committer somebody " + lorem(id, 30), links
	case "commitdiff":
		return menu + lorem(id, 30), links
	}
	return menu + view + lorem(view, 60), links
}

// wiki is 300 pages as DokuWiki shows them: with an editor, old revisions, backlinks and an index, each in the look of the page.
func wiki(path string) (string, []string) {
	if path == "/" {
		return menu, []string{"/doku.php?id=page_a"}
	}
	name, action, _ := strings.Cut(strings.TrimPrefix(path, "/doku.php?id="), "&do=")
	at := 0
	for _, c := range strings.TrimPrefix(name, "page_") {
		at = 26*at + int(c-'a')
	}
	var links []string
	for _, n := range []int{2*at + 1, 2*at + 2} { // a tree of pages
		if n <= 300 {
			id := ""
			for ; n > 0; n /= 26 {
				id = string(rune('a'+n%26)) + id
			}
			links = append(links, "/doku.php?id=page_"+id)
		}
	}
	for _, a := range []string{"edit", "revisions", "backlink", "index", "login", "recent", "export_raw"} {
		links = append(links, "/doku.php?id="+name+"&do="+a)
	}
	if action == "" || action == "revisions" {
		for i := range 5 {
			links = append(links, fmt.Sprintf("/doku.php?id=%s&do=diff&rev=%d", name, 1_700_000_000+97*at+i))
		}
	}
	if action == "" {
		return menu + lorem(name, 60), links
	}
	return menu + strings.SplitN(action, "&", 2)[0] + lorem(name, 60), links
}

// sorted is 200 folders of ten folders each, listed in eight orders.
func sorted(path string) (string, []string) {
	folder, order, _ := strings.Cut(path, "?")
	names := []string{}
	for i := range 10 {
		names = append(names, strings.ReplaceAll(strings.TrimSpace(lorem(folder+fmt.Sprint(i), 2)), " ", ""))
	}
	if sum := md5.Sum([]byte(order)); order != "" {
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(a[int(sum[0])%3:], b[int(sum[0])%3:]) })
	}
	links := []string{}
	for _, o := range []string{"C=N;O=D", "C=M;O=A", "C=S;O=A", "C=D;O=A"} {
		links = append(links, folder+"?"+o)
		if order == o {
			links = append(links, folder+"?"+strings.NewReplacer("O=A", "O=D", "O=D", "O=A").Replace(o))
		}
	}
	if strings.Count(folder, "/") < 4 {
		for _, n := range names[:6] {
			links = append(links, folder+n+"/")
		}
	}
	return "Index of " + strings.ReplaceAll(folder, "/", " ") + strings.Join(names, " 2024-03-17 12:04 - "), links
}
