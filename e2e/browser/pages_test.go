package browser_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browserPaths has all kinds of pages.
var browserPaths = []string{
	"/", "/search?q=vacuum+table", "/search?q=vacuum+table&explain=1", "/search?q=autovacum+treshold", "/search?q=tablespace+limit",
	"/search?q=vacuum+OR", "/advanced", "/advanced?iq=vacuum", "/help", "/status", "/operator", "/explain?url=https://www.example.org/", "/nowhere",
	"/hostile/results", "/hostile/empty", "/hostile/error", "/hostile/advanced", "/hostile/status", "/hostile/operator", "/hostile/explain", "/hostile/fail",
}

// TestBrowserPages uses every page with the keyboard, at several sizes and in both color schemes.
func TestBrowserPages(t *testing.T) {
	b := startBrowser(t, func() string { return serve(t, "sample") })
	for _, part := range []struct {
		name string
		test func(*testing.T, *browser)
	}{
		{"typing and Enter search, and the back button returns", browserSearches},
		{"the tabulator reaches everything, visibly", browserTabs},
		{"the skip link leads to the content", browserSkips},
		{"the advanced form works with the keyboard", browserAdvanced},
		{"nothing is wider than a phone", browserPhone},
		{"facets are beside the results, or folded above them", browserFacets},
		{"all text has contrast, light and dark", browserContrast},
		{"nothing of others is executed", browserHostile},
	} {
		if !t.Run(part.name, func(t *testing.T) { b.t = t; part.test(t, b) }) && b.ctx.Err() != nil {
			t.Fatal("the browser has ended")
		}
	}
	b.t = t
	// The browser reports the missing page in the console.
	b.messages = slices.DeleteFunc(b.messages, func(m string) bool { return strings.HasSuffix(m, " "+b.base+"/nowhere") })
	b.quiet()
}

func browserSearches(t *testing.T, b *browser) {
	b.open("/")
	b.until(`document.activeElement.id === "q"`)
	b.keys(`"full table`)
	if got, want := b.loads("Enter", chromedp.KeyEvent(kb.Enter)), "/search?q=%22full+table"; got != want {
		t.Errorf("Enter leads to %s, want %s", got, want)
	}
	if got, want := js[string](b, `document.title`), `"full table – pgseek`; got != want {
		t.Errorf("the title is %q, want %q", got, want)
	}
	if got := js[string](b, `document.getElementById("q").value`); got != `"full table` {
		t.Errorf("the box holds %q", got)
	}
	if got := js[string](b, `document.activeElement.tagName`); got != "BODY" {
		t.Errorf("with results the focus is in %s, so that keys do not scroll", got)
	}
	if got := b.loads("next page", chromedp.Click(chromedp.CSS(`a[rel=next]`))); !strings.Contains(got, "np=1") {
		t.Errorf("the next page is %s", got)
	}
	if got := js[int](b, `document.querySelector(".hits").start`); got != 21 {
		t.Errorf("the next page begins with result %d, want 21", got)
	}
	for _, before := range []string{"/search?q=%22full+table", "/"} {
		inBrowser(b, "back", chromedp.NavigateBack())
		if got := js[string](b, `location.pathname + location.search`); got != before {
			t.Errorf("back is %s, want %s", got, before)
		}
	}
}

// describeFocus returns the element with the focus, and whether it is marked and on the screen.
const describeFocus = `(() => {
	const e = document.activeElement
	if (!e || e === document.body) return {Name: "", Marked: true, OnScreen: true, Index: -1}
	const s = getComputedStyle(e), r = e.getBoundingClientRect()
	return {
		Name: e.tagName + " " + (e.id || e.name || e.textContent.trim().slice(0, 40)),
		Marked: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2,
		OnScreen: r.width > 0 && r.height > 0 && r.bottom > 0 && r.right > 0 && r.top < innerHeight && r.left < innerWidth,
		Index: [...document.querySelectorAll("*")].indexOf(e),
	}
})()`

type focusState struct {
	Name             string
	Marked, OnScreen bool
	Index            int
}

// reachable counts the elements that the keyboard must reach. It would count a group of radio buttons
// wrongly, but there is none.
const reachable = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary, [tabindex='0']")].filter(e =>
	e.checkVisibility() && !(e.closest("details:not([open])") && e.tagName !== "SUMMARY")).length`

func browserTabs(t *testing.T, b *browser) {
	b.size(1200, 800)
	for _, path := range []string{"/", "/search?q=vacuum+table", "/search?q=vacuum+OR", "/search?q=tablespace+limit", "/advanced?iq=vacuum", "/status", "/operator"} {
		b.open(path)
		want := js[int](b, reachable)
		seen := map[int]bool{}
		last, turns := -1, 0
		for range 3*want + 20 { // a date field has several tab stops
			b.keys(kb.Tab)
			f := js[focusState](b, describeFocus)
			if f.Index < last {
				turns++ // past the end, back to the beginning
			}
			if turns > 1 {
				break
			}
			last = f.Index
			if f.Index < 0 {
				continue
			}
			if !f.Marked || !f.OnScreen {
				t.Errorf("%s: the focus on %q cannot be seen: %+v", path, f.Name, f)
			}
			seen[f.Index] = true
		}
		if len(seen) != want {
			t.Errorf("%s: the tabulator reaches %d of %d things", path, len(seen), want)
		}
	}
}

func browserSkips(t *testing.T, b *browser) {
	b.open("/search?q=vacuum+table")
	b.keys(kb.Tab)
	if f := js[focusState](b, describeFocus); !strings.Contains(f.Name, "Skip") {
		t.Fatalf("the first stop is %q", f.Name)
	}
	b.keys(kb.Enter)
	b.keys(kb.Tab)
	if !js[bool](b, `document.activeElement.closest("main") !== null && document.activeElement !== document.getElementById("main")`) {
		t.Errorf("after the skip link, the next stop is outside of the content")
	}
}

func browserAdvanced(t *testing.T, b *browser) {
	b.open("/advanced")
	b.until(`document.activeElement.id === "iq"`)
	b.keys("vacuum table" + kb.Tab + " " + kb.Tab + "full")
	got := b.loads("Enter", chromedp.KeyEvent(kb.Enter))
	for _, want := range []string{"iq=vacuum+table", "im=p", "xq=full", "s=rate", "gr=&", "ps=20", "dp=&"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func browserPhone(t *testing.T, b *browser) {
	for _, width := range []int64{360, 320, 1024} {
		b.size(width, 740)
		for _, path := range browserPaths {
			b.open(path)
			if got := js[int64](b, `document.documentElement.scrollWidth`); got > width {
				wide := js[string](b, fmt.Sprintf(`[...document.querySelectorAll("body *")].filter(e => !e.closest(".wide") && e.getBoundingClientRect().right > %d)
					.map(e => e.tagName + "." + e.className).slice(0, 5).join(" ")`, width))
				t.Errorf("%s is %d pixels wide on a screen of %d: %s", path, got, width, wide)
			}
		}
	}
	b.size(360, 740)
	b.open("/search?q=vacuum+table")
	small := js[[]string](b, `[...document.querySelectorAll("button, .pager a, .ask input:not([type=hidden]), footer a")].filter(e => e.getBoundingClientRect().height < 24)
		.map(e => e.textContent)`)
	if len(small) > 0 {
		t.Errorf("too small for a finger (24 pixels): %q", small)
	}
	b.size(1200, 800)
}

// browserFacets: wide screens show facets beside the results; others fold them, and open them with the keyboard.
func browserFacets(t *testing.T, b *browser) {
	const shown = `[...document.querySelectorAll(".facets a")].filter(e => e.checkVisibility()).length`
	const half = `document.querySelectorAll(".facets a").length / 2`
	b.size(1920, 1000)
	b.open("/search?q=vacuum+table")
	all := js[int](b, half)
	if got := js[int](b, shown); all < 8 || got != all {
		t.Errorf("%d of %d values are shown on a wide screen", got, all)
	}
	if !js[bool](b, `document.querySelector(".beside > nav").getBoundingClientRect().left > document.querySelector(".hits").getBoundingClientRect().right`) {
		t.Error("the facets are not beside the results")
	}
	for _, width := range []int64{1100, 360} {
		b.size(width, 800)
		if got := js[int](b, shown); got != 0 {
			t.Errorf("%d values are shown at a width of %d", got, width)
		}
	}
	js[bool](b, `document.querySelector(".narrow summary").focus() === undefined`)
	b.keys(" ")
	b.until(shown + ` === ` + half)
	if got := js[string](b, `document.querySelector(".narrow [aria-current=true]").textContent`); got != "www.postgresql.org" {
		t.Errorf("the chosen value is %q", got)
	}
	if small := js[int](b, `[...document.querySelectorAll(".narrow a")].filter(e => e.parentElement.getBoundingClientRect().height < 24).length`); small > 0 {
		t.Errorf("%d values are too small for a finger", small)
	}
	b.size(1200, 800)
}

// lowContrast lists text whose color has too little contrast to its background (WCAG 2.2, 1.4.3: 4.5 to 1).
const lowContrast = `(() => {
	const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length > 3 && m[3] === 0 ? null : m.slice(0, 3) }
	const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 }); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
	const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c) return c } return [255, 255, 255] }
	const out = new Set()
	let n = 0
	for (const e of document.querySelectorAll("body *")) {
		const own = [...e.childNodes].some(x => x.nodeType === 3 && x.data.trim()) || e.tagName === "INPUT" && e.type !== "checkbox" || e.tagName === "SELECT"
		if (!own || e.tagName === "OPTION") continue
		n++
		const a = light(parse(getComputedStyle(e).color)) + 0.05, z = light(behind(e)) + 0.05
		const ratio = a > z ? a / z : z / a
		if (ratio < 4.5) out.add(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + e.textContent.trim().slice(0, 30))
	}
	return {N: n, Low: [...out], Paper: getComputedStyle(document.documentElement).backgroundColor}
})()`

func browserContrast(t *testing.T, b *browser) {
	papers := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, path := range browserPaths {
			b.open(path)
			got := js[struct {
				N     int
				Low   []string
				Paper string
			}](b, lowContrast)
			if got.N < 5 {
				t.Errorf("%s: only %d texts were found", path, got.N)
			}
			for _, low := range got.Low {
				t.Errorf("%s, %s: %s", path, scheme, low)
			}
			papers[got.Paper] = true
		}
	}
	if len(papers) != 2 {
		t.Errorf("light and dark have the papers %v", papers)
	}
	b.scheme("light")
}

func browserHostile(t *testing.T, b *browser) {
	for _, path := range browserPaths {
		if !strings.HasPrefix(path, "/hostile/") {
			continue
		}
		b.open(path)
		if n := js[int](b, `document.querySelectorAll("script, img, iframe, object, style, [onerror], [onmouseover], [style]").length`); n != 0 {
			t.Errorf("%s has %d elements that are not ours", path, n)
		}
		// A browser shows ":" for an address that it cannot parse, and does not follow it.
		if n := js[int](b, `[...document.links].filter(a => !["http:", "https:", ":"].includes(a.protocol)).length`); n != 0 {
			t.Errorf("%s has %d links that are no addresses of pages", path, n)
		}
	}
}
