package browser_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestBrowserSuggests uses suggestions with the keyboard and the mouse, as the pattern of a combobox says, and the page
// without scripts.
func TestBrowserSuggests(t *testing.T) {
	b := startBrowser(t, func() string { return serve(t, "suggest") })
	var answer []any
	for len(answer) < 2 || len(answer[1].([]any)) == 0 { // until the server has read them
		b.get("/suggest?q=page", &answer)
	}
	state := func() string {
		return js[string](b, `(q => [q.getAttribute("role"), q.getAttribute("aria-expanded"), q.value, (document.getElementById(q.getAttribute("aria-activedescendant")) || {title: "none"}).title].join("|"))(document.getElementById("q"))`)
	}
	open := `document.querySelectorAll("#suggested:not([hidden]) [role=option]").length > 0`
	// One key asks for suggestions once: a request in progress would disturb the waiting for the next page.
	write := func(before, key string) {
		js[bool](b, `(document.getElementById("q").value = "`+before+`") !== ""`)
		b.keys(kb.End + key)
		b.until(open)
	}
	b.open("/")
	if got := state(); got != "combobox|false||none" {
		t.Errorf("at first: %s", got)
	}
	write("va", "c")
	if got := state(); got != "combobox|true|vac|none" {
		t.Errorf("open: %s", got)
	}
	b.keys(kb.ArrowDown)
	first := js[string](b, `document.querySelector("#suggested [aria-selected=true]").title`)
	if got := state(); first == "" || got != "combobox|true|"+first+"|"+first {
		t.Errorf("the first: %s", got)
	}
	b.keys(kb.ArrowUp)
	if got := state(); got != "combobox|true|vac|none" {
		t.Errorf("back in the box: %s", got)
	}
	b.keys(kb.ArrowUp)
	last := js[string](b, `document.querySelector("#suggested li:last-child").title`)
	if got := state(); got != "combobox|true|"+last+"|"+last {
		t.Errorf("the last: %s", got)
	}
	b.keys(kb.Escape)
	if got := state(); got != "combobox|false|vac|none" || !js[bool](b, `document.getElementById("suggested").hidden`) {
		t.Errorf("Escape: %s", got)
	}
	// The last word is completed, and Enter searches for it.
	b.open("/search?q=number7")
	inBrowser(b, "the box", chromedp.Click(chromedp.CSS("#q")))
	write("number7 vac", "u")
	b.keys(kb.ArrowDown)
	if got := state(); got != "combobox|true|number7 vacuum|number7 vacuum" {
		t.Errorf("the last word: %s", got)
	}
	b.keys(kb.Enter)
	b.until(`location.search === "?q=number7+vacuum" && document.readyState === "complete"`)
	// What is typed counts until something is chosen.
	b.open("/")
	write("fu", "l")
	b.keys(kb.Enter)
	b.until(`location.search === "?q=ful" && document.readyState === "complete"`)
	b.quiet()

	callBrowser(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	inBrowser(b, "open / without scripts", chromedp.Navigate(b.base+"/search?q=vacuum"))
	if got := js[string](b, `document.body.innerText + document.getElementById("q").getAttribute("role")`); !strings.Contains(got, "25 documents") || !strings.HasSuffix(got, "null") {
		t.Errorf("without scripts:\n%s", got)
	}
	b.quiet()
}
