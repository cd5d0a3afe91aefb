package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserAdmin steers a crawl as an operator does, also on a phone, and tries forms of another site.
func TestBrowserAdmin(t *testing.T) {
	b := startBrowser(t, func() string { return serveOf(t, "admin", "admin") })
	says := func(want string) {
		t.Helper()
		if got := js[string](b, `document.querySelector("[role=status]")?.textContent ?? ""`); !strings.Contains(got, want) {
			t.Errorf("the page says %q, want %q", got, want)
		}
	}
	fits := func(what string) {
		t.Helper()
		for _, width := range []int64{360, 390, 1200} {
			b.size(width, 780)
			if got := js[int64](b, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%s is %d wide, of %d", what, got, width)
			}
		}
	}
	click := func(name string) {
		t.Helper()
		b.loads(name, chromedp.Click(chromedp.CSS(`button[value=`+name+`]`)))
	}

	// The page focuses the field by itself, but perhaps only after the first keys.
	password := func(text string) {
		t.Helper()
		inBrowser(b, "focus", chromedp.Focus(chromedp.CSS("input[type=password]")))
		b.keys(text)
	}
	b.open("/")
	fits("the form for the password")
	password("wrong horse")
	b.loads("Enter", chromedp.KeyEvent(kb.Enter))
	says("The password is wrong.")
	password("correct horse")
	if got := b.loads("Enter", chromedp.KeyEvent(kb.Enter)); got != "/admin" {
		t.Errorf("the password leads to %s", got)
	}
	fits("the page")
	if n := js[int](b, `document.querySelectorAll("script, [onclick], [style]").length`); n > 0 {
		t.Errorf("%d scripts or styles in the page", n)
	}
	if got := js[string](b, `document.cookie`); got != "" {
		t.Errorf("scripts can read the cookie: %s", got)
	}
	if folder := os.Getenv("PGSEEK_SCREENSHOTS"); folder != "" {
		b.size(1000, 900)
		b.scheme("light")
		if err := os.WriteFile(filepath.Join(folder, "admin.png"), inBrowser(b, "picture", chromedp.CaptureScreenshot()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.size(390, 780)
	click("crawl")
	says("A round begins at once.")
	click("pause")
	says("The crawl is paused.")
	if got := js[string](b, `document.querySelector("h2").textContent`); got != "The crawl: paused" {
		t.Errorf("the page says %q", got)
	}
	click("resume")
	says("The crawl goes on.")
	click("release")
	says("released https://old.example.org/")
	url := func(text string) {
		t.Helper()
		inBrowser(b, "focus", chromedp.Focus(chromedp.CSS("#url")))
		b.keys(text)
	}
	url("https://www.example.net/")
	click("add")
	says("no Server of sets.cnf covers this site")
	url("https://www.example.org/new")
	click("add")
	says("inserted https://www.example.org/new")
	url("https://www.example.org/old")
	click("remove")
	fits("the question")
	b.loads("yes", chromedp.Click(chromedp.CSS(`main button`)))
	says("removed https://www.example.org/old")
	b.quietBut("/admin/login") // the browser reports the 401
	b.messages = nil

	// A page of another origin has a form for this one, and a link that would pause the crawl. The browser is logged in.
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<form method="post" action="%s/admin/do"><input name="action" value="pause"><button>x</button></form><a href="%[1]s/admin/do?action=pause">y</a>
			<iframe src="%[1]s/admin"></iframe>`, b.base)
	}))
	defer evil.Close()
	for _, element := range []string{"button", "a"} {
		inBrowser(b, "open", chromedp.Navigate(evil.URL))
		b.loads(element, chromedp.Click(chromedp.CSS(element)))
		if got := js[string](b, `document.querySelector("h1").textContent`); got != "Forbidden" && got != "Method Not Allowed" {
			t.Errorf("%s of another site: %s", element, got)
		}
	}
	b.open("/admin")
	if got := js[string](b, `document.querySelector("h2").textContent`); got != "The crawl: waiting" {
		t.Errorf("after the forms of another site the page says %q", got)
	}
	b.loads("log out", chromedp.Click(chromedp.CSS(`form[action="/admin/logout"] button`)))
	if got := js[string](b, `document.querySelector("h1").textContent`); got != "Log in" {
		t.Errorf("after the end of the session: %s", got)
	}
}

// quietBut is quiet, apart from messages about a path.
func (b *browser) quietBut(path string) {
	b.t.Helper()
	b.mu.Lock()
	b.messages = slices.DeleteFunc(b.messages, func(m string) bool { return strings.HasSuffix(m, " "+b.base+path) })
	b.mu.Unlock()
	b.quiet()
}
