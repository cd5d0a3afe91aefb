package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// copyPages is a site with pages that name canonical pages.
type copyPages struct{ *neighbours }

// put serves a page whose head has a canonical link, none when it is empty; header is a Link header.
func (c copyPages) put(path, canonical, header, body string) {
	head := "<title>" + strings.Trim(path, "/") + "</title>"
	if canonical != "" {
		head += fmt.Sprintf("<link rel=canonical href=%q>", canonical)
	}
	p := spidertest.Page{Body: head + "<body>" + body, ETag: fmt.Sprintf("%q", fmt.Sprintf("%x", len(canonical+body)))}
	if header != "" {
		p.Header = map[string]string{"Link": header}
	}
	c.site.Set(path, p)
}

// are compares status, last rule and canonical page of URLs: "906 T-19 /page".
func (c copyPages) are(want map[string]string) {
	c.t.Helper()
	for path, want := range want {
		got := strings.ReplaceAll(strings.Join(c.rows(`
			SELECT w.status, (SELECT rule FROM crawl_history h WHERE h.url_id = w.url_id ORDER BY at DESC, slot DESC LIMIT 1),
				coalesce((SELECT t.url FROM urlword t WHERE t.url_id = w.redir), '-')
			FROM urlword w WHERE w.url = $1`, c.url(path)), ";"), c.site.URL, "")
		if got != want {
			c.t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// why compares what --explain says of why pages are not united.
func (c copyPages) why(want map[string]string) {
	c.t.Helper()
	for path, text := range want {
		if out := c.index("--explain", c.url(path)); !strings.Contains(out, text) {
			c.t.Errorf("--explain %s does not say %q:\n%s", path, text, out)
		}
	}
}

// TestT19Canonical verifies that pages are united with the canonical pages that they name, by element or header, in the first run
// already; that links to them count for these; that they come back when their canonical page goes; and which are ignored (B64, B65),
// with the reason.
func TestT19Canonical(t *testing.T) {
	t.Parallel()
	pages := []string{
		"/page?print=1", "/page", "/header", "/late", "/gone", "/moved", "/out", "/refused", "/chain", "/back", "/forth", "/loop", "/self",
		"/noindex", "/tonoindex", "/two", "/inbody", "/bad", "/badheader", "/twin?a", "/twin", "/alternate", "/other",
		"/moved?print", "/tomoved", "/toredirect",
	}
	n := copyPages{beside(t, "", pages...)}
	n.sets("Disallow /private\nServer " + n.site.URL + "/\n")
	n.put("/page", "/page", "", `pageword <a href="/page?print=1">print</a>`)
	n.put("/page?print=1", "/page", "", `pageword printed <a href="/only">only here</a>`)
	n.put("/only", "", "", "onlyword")
	n.put("/header", "", `</x.css>; rel=preload; as="sty,le", </page>; rel="nofollow canonical"; title="a \" ; b"`, "headerword")
	n.put("/late", "target#part", "", "lateword") // relative; found by it alone
	n.put("/target", "", "", "targetword")
	n.put("/gone", "/nothing", "", "goneword")
	n.put("/moved", "/redirect", "", "movedword")
	n.site.Set("/redirect", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/moved"}})
	n.put("/moved?print", "/redirect", "", "movedword printed") // as a wiki's start page, which names the root
	n.put("/tomoved", "/moved", "", "tomovedword")
	n.put("/toredirect", "/away", "", "toredirectword") // that one leads to a page which does not name it
	n.site.Set("/away", spidertest.Page{Status: 301, Header: map[string]string{"Location": "/other"}})
	n.put("/out", "http://example.invalid/", "", "outword")
	n.put("/refused", "/private/x", "", "refusedword")
	n.put("/chain", "/page?print=1", "", "chainword")
	n.put("/back", "/forth", "", "backword")
	n.put("/forth", "/back", "", "forthword")
	n.put("/loop", "/out", "", "loopword") // that one names another page, which is not followed
	n.put("/self", n.site.URL+"/self#x", "", "selfword")
	n.site.HTML("/noindex", `<meta name=robots content=noindex><link rel=canonical href=/page>noindexword`)
	n.put("/tonoindex", "/noindex", "", "tonoindexword")
	n.site.HTML("/two", `<link rel=canonical href=/page><link rel=canonical href=/target>twoword`)
	n.site.HTML("/inbody", `<title>a comment</title><p>inbodyword <link rel=canonical href=/page>`)
	n.put("/bad", "http://[::1", "", "badword")
	n.put("/badheader", "", `<,>;;rel, </page; rel=canonical, </page>; rel="canonical`, "badheaderword")
	n.put("/twin", "/twin", "", "twinword") // equal bytes: a clone group
	n.site.Set("/twin?a", n.site.Page("/twin"))
	n.site.HTML("/alternate", `<link rel="alternate canonical" hreflang=de href=/page><link rel=canonical media=print href=/page>alternateword`)
	n.put("/other", "", `</page>; rel=canonical; anchor="/elsewhere", </page>; rel=next`, "otherword")
	n.crawl()
	first := map[string]string{
		"/page": "200 T-01 -", "/page?print=1": "906 T-19 /page", "/only": "200 T-01 -", "/header": "906 T-19 /page", "/late": "906 T-19 /target", "/target": "200 T-01 -",
		"/gone": "200 T-01 -", "/nothing": "404 T-08 -", "/moved": "200 T-01 -", "/redirect": "301 T-05 /moved",
		"/moved?print": "906 T-19 /moved", "/tomoved": "906 T-19 /moved", "/toredirect": "200 T-01 -",
		"/out": "200 T-01 -", "/refused": "200 T-01 -", "/chain": "200 T-01 -", "/back": "200 T-01 -", "/forth": "200 T-01 -", "/loop": "200 T-01 -",
		"/self": "200 T-01 -", "/noindex": "406 T-06 -", "/tonoindex": "200 T-01 -", "/two": "200 T-01 -", "/inbody": "200 T-01 -", "/bad": "200 T-01 -",
		"/twin?a": "906 T-19 /twin", "/alternate": "200 T-01 -", "/other": "200 T-01 -",
	}
	n.are(first)
	n.want("/badheader", "w.status, s.canonical", "200 0")
	n.words("pageword", "/page")
	n.words("printed")
	n.words("twinword", "/twin")
	n.words("movedword", "/moved")
	n.words("chainword", "/chain")
	n.why(map[string]string{
		"/gone": "answered 404", "/moved": "that redirects", "/toredirect": "that redirects", "/tomoved": "In the index  no: its canonical page is " + n.url("/moved"),
		"/out": "not followed, http://example.invalid/:", "/refused": "sets.cnf:1",
		"/chain": "names another page itself", "/back": "names another page itself", "/loop": "which is not followed", "/self": ": this URL",
		"/tonoindex": "answered 406", "/two": "it names several", "/inbody": "it stands in the body", "/bad": "not followed, http://[::1",
		"/page?print=1": "In the index  no: its canonical page is " + n.url("/page"),
	})
	// Links to the page count for its canonical page: those of the front page to both are one.
	if got := n.one(`SELECT round(a.rank::numeric, 4) > round(b.rank::numeric, 4) FROM urlrank a, urlrank b
		WHERE a.url_id = (SELECT url_id FROM urlword WHERE url = $1) AND b.url_id = (SELECT url_id FROM urlword WHERE url = $2)`,
		n.url("/page"), n.url("/self")); got != "true" {
		t.Errorf("/page does not have the higher rank of what its copies are linked from")
	}
	n.world.check()

	// Nothing changes at the next visit; a page that names itself again is a document, a page whose canonical page goes, too.
	n.site.Forget()
	n.crawl("-a")
	first["/page"], first["/only"] = "200 T-02 -", "200 T-02 -"
	for path, want := range first {
		if strings.HasPrefix(want, "200") {
			first[path] = "200 T-02 -"
		}
	}
	first["/noindex"] = "406 T-03 -"
	first["/two"], first["/inbody"], first["/alternate"] = "200 T-02 -", "200 T-02 -", "200 T-02 -"
	n.are(first)
	n.put("/page?print=1", "", "", "pageword printed alone")
	n.put("/header", "", "", "headerword")
	n.site.Remove("/target")
	n.crawl("-a")
	n.are(map[string]string{"/page?print=1": "200 T-04 -", "/header": "200 T-04 -", "/target": n.lostStatus("/target")})
	n.words("printed", "/page?print=1")
	n.words("headerword", "/header")
	n.crawl("-a", "-n", "1") // not the copy: its canonical page is lost, and still found
	for range 3 {
		n.pass(8 * day)
		n.crawl()
	}
	n.index("--purge-lost=1")
	n.crawl("-a")
	n.are(map[string]string{"/late": "200 T-04 -"})
	n.words("lateword", "/late")

	// Canonical no: all come back.
	n.put("/page?print=1", "/page", "", "pageword printed")
	n.crawl("-a")
	n.are(map[string]string{"/page?print=1": "906 T-19 /page"})
	n.sets("Canonical no\nServer " + n.site.URL + "/\n")
	n.crawl("-a")
	n.are(map[string]string{"/page?print=1": "200 T-04 -", "/twin?a": "200 T-01o -"})
	n.world.check()
}

func (c copyPages) lostStatus(path string) string {
	return c.one(`SELECT status FROM urlword WHERE url = $1`, c.url(path)) + " T-07 -"
}

// TestCanonicalAccident verifies that a template that names the front page on every page empties nothing: not after a good crawl, not
// in the first one, and not in parts. The site is on hold until an operator releases it or the mistake is gone.
func TestCanonicalAccident(t *testing.T) {
	t.Parallel()
	const pages = 14
	n := copyPages{beside(t, "LostLimit 2\n")}
	var links strings.Builder
	for i := range pages {
		fmt.Fprintf(&links, `<a href="/p%d">x</a> `, i)
	}
	serve := func(canonical string) {
		n.put("/", canonical, "", `hidden front <a href="/good.html">good</a> `+links.String())
		n.put("/good.html", canonical, "", "goodneighbour hidden")
		for i := range pages {
			n.put(fmt.Sprintf("/p%d", i), canonical, "", fmt.Sprintf("hidden word%d", i))
		}
	}
	state := func(what, hold string, found int) {
		t.Helper()
		if got := strings.Join(n.rows(`SELECT reason FROM sites_on_hold`), " "); got != hold {
			t.Errorf("%s: on hold %q, want %q", what, got, hold)
		}
		if got := n.one(`SELECT count(*) FROM search('hidden', 100)`); got != fmt.Sprint(found) {
			t.Errorf("%s: %s documents are found, want %d", what, got, found)
		}
		n.world.check()
	}
	all := pages + 2
	serve("")
	n.crawl()
	state("before", "", all)
	serve("/")
	n.crawl("-a", "-n", "4") // a part of the site
	state("a part", "", all)
	said := n.crawl("-a")
	state("the accident", "canonical", all)
	for _, want := range []string{"level=WARN", "name other pages as canonical", "index --release " + n.site.URL + "/", "Canonical no"} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing is said of %q:\n%s", want, said)
		}
	}
	n.why(map[string]string{"/p3": "the site is on hold"})
	for range 3 { // no number of days makes it right
		n.pass(25 * time.Hour)
		n.crawl("-a")
	}
	state("days later", "canonical", all)
	n.put("/p3", "/", "", "hidden changed")
	n.crawl("-a")
	n.words("changed", "/p3") // documents are still visited

	serve("")
	n.crawl("-a")
	state("mended", "", all)

	// A release acts on what the pages answer now, not on what they said before.
	serve("/")
	n.crawl("-a")
	n.site.Remove("/p3")
	n.crawl("-a") // on hold: T-10
	n.site.Remove("/p5")
	n.index("--release", n.site.URL+"/")
	n.try("-a", "-u", n.site.URL+"/p5")
	n.are(map[string]string{"/p3": "200 T-10 -", "/p5": n.lostStatus("/p5"), "/p6": "906 T-19 /"})
	serve("/")
	n.try("-a") // the good page leaves, too
	state("released", "", 1)
	n.are(map[string]string{"/p3": "906 T-19 /", "/": "200 T-02 -"})

	fresh := newWorld(t, "Server "+n.site.URL+"/\n")
	fresh.index()
	if got := fresh.one(`SELECT count(*) FROM search('hidden', 100)`); got != fmt.Sprint(all) {
		t.Errorf("in the first crawl: %s documents are found, want %d", got, all)
	}
}

// TestCanonicalShare verifies that the pages of a site with many copies are held when they were documents before, and that the hold
// ends after LostLimit days, as for redirects.
func TestCanonicalShare(t *testing.T) {
	t.Parallel()
	const pages = 8
	n := copyPages{beside(t, "LostLimit 2\n")}
	serve := func(canonical bool) {
		links := `<a href="/good.html">good</a> `
		for i := range pages {
			page, of := fmt.Sprintf("/p%d", i), ""
			if canonical {
				of = page
			}
			links += fmt.Sprintf(`<a href=%q>x</a> <a href="%s?print">x</a>`, page, page)
			n.put(page, of, "", fmt.Sprintf("hidden word%d", i))
			n.put(page+"?print", of, "", fmt.Sprintf("hidden word%d print", i))
		}
		n.put("/", "", "", links)
	}
	found := func(want int) {
		t.Helper()
		if got := n.one(`SELECT count(*) FROM search('hidden', 100)`); got != fmt.Sprint(want) {
			t.Errorf("%s documents are found, want %d", got, want)
		}
	}
	serve(false)
	n.crawl()
	found(2 * pages)
	serve(true)
	n.crawl("-a")
	found(2 * pages)
	n.want("/p3?print", "w.status, (SELECT reason FROM sites_on_hold)", "200 canonical")
	n.pass(25 * time.Hour)
	n.crawl("-a")
	found(pages)
	n.want("/p3?print", "w.status, (SELECT count(*) FROM sites_on_hold)", "906 0")
	n.world.check()

	fresh := newWorld(t, "Server "+n.site.URL+"/\n") // in the first crawl such copies leave no gap
	said := fresh.index()
	if got := fresh.one(`SELECT count(*) FROM search('hidden', 100)`); got != fmt.Sprint(pages) {
		t.Errorf("first crawl: %s documents are found, want %d\n%s", got, pages, said)
	}
}
