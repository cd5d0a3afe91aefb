package browser_test

import (
	"slices"
	"strings"
	"testing"
)

// TestBrowserFace shows the pages of a searchd with a name, a logo, colors, a header and a template of its own, below a
// prefix, in every language: on a phone, on a wide screen, light and dark. The name and the header try to run scripts.
func TestBrowserFace(t *testing.T) {
	b := startBrowser(t, func() string { return serve(t, "face") })
	languages := []string{"de", "en", "es", "fr", "ja", "ru", "zh"}
	paths := []string{"", "search?q=vacuum+table", "search?q=nothing", "search?q=vacuum+OR", "advanced", "help", "status", "nowhere"}
	headings := map[string]bool{}
	sizes := []struct {
		width  int64
		scheme string
	}{{360, "dark"}, {1920, "light"}}
	for _, size := range sizes {
		b.size(size.width, 900)
		b.scheme(size.scheme)
		for i, path := range paths {
			for j, language := range languages {
				if path != "help" && (i+j)%2 != 0 || size.width != 360 && (i+j)%3 != 0 { // some of them: each shows the same as others
					continue
				}
				sign := "?"
				if strings.Contains(path, "?") {
					sign = "&"
				}
				address := "/find/" + path + sign + "hl=" + language
				b.open(address)
				got := js[struct {
					Lang, Heading, Outside, Link string
					Wide                         int64
					Scripts                      int
				}](b, `({
					Lang: document.documentElement.lang,
					Heading: document.querySelector("h1").textContent,
					Outside: [...document.querySelectorAll("main a, footer a, .top a, form")].map(e => e.getAttribute("href") || e.getAttribute("action"))
						.find(a => a && a.startsWith("/") && !a.startsWith("/find/")) || "",
					Link: getComputedStyle(document.querySelector("a:not(.skip, .name)")).color,
					Wide: document.documentElement.scrollWidth,
					Scripts: window.alerted || 0,
				})`)
				if got.Lang != language || got.Outside != "" || got.Wide > size.width {
					t.Errorf("%s: language %s, %d pixels wide of %d, a link to %q", address, got.Lang, got.Wide, size.width, got.Outside)
				}
				if path == "help" {
					headings[got.Heading] = true
				}
				if low := js[struct{ Low []string }](b, lowContrast).Low; len(low) > 0 {
					t.Errorf("%s, %s: too little contrast: %q", address, size.scheme, low)
				}
			}
		}
	}
	if len(headings) != len(languages) {
		t.Errorf("the headings of the help are %v", headings)
	}
	b.open("/find/search?q=vacuum+table")
	if got := js[string](b, `document.title`); !strings.HasPrefix(got, "vacuum table – Küche <script>") {
		t.Errorf("the title is %q", got)
	}
	if !js[bool](b, `document.querySelector(".logo").naturalWidth > 0`) {
		t.Error("the logo is not shown")
	}
	if got := js[[]float64](b, `[document.querySelector(".beside > div"), document.querySelector(".beside > nav")].map(e => e.getBoundingClientRect().left)`); got[0] < 300 || got[1] < got[0]+600 {
		t.Errorf("on a wide screen the results begin at %v, and the facets at %v", got[0], got[1])
	}
	b.open("/find/nowhere")
	if got := js[string](b, `document.querySelector(".own").textContent`); !strings.HasPrefix(got, "There is no page") {
		t.Errorf("the page of the template shows %q", got)
	}
	b.scheme("light")
	b.open("/find/help")
	if got := js[string](b, `getComputedStyle(document.querySelector(".parts a")).color`); got != "rgb(34, 68, 136)" {
		t.Errorf("links have the color %s", got)
	}
	// The policy forbids what the header tries, and the browser says so. Missing pages and wrong queries are said, too.
	refused := 0
	b.messages = slices.DeleteFunc(b.messages, func(m string) bool {
		said := strings.Contains(m, "Content Security Policy") || strings.Contains(m, "script-src")
		if said {
			refused++
		}
		return said || strings.Contains(m, "/find/nowhere")
	})
	if refused == 0 {
		t.Error("the policy did not refuse the script of the header")
	}
	b.quiet()
}
