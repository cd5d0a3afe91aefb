package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	cssColor = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`)
	anyColor = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(`)
	colorUse = regexp.MustCompile(`(?:^|[\s;{-])(color|background): var\(--([a-z-]+)\)`)
)

// styleSchemes returns the named colors of the stylesheet, light and dark, and the rest of it.
func styleSchemes(t *testing.T) (schemes map[string]map[string]string, rest string) {
	t.Helper()
	body, _, ok := testPages(t).Static("style.css", "")
	if !ok {
		t.Fatal("there is no style.css")
	}
	css := string(body)
	schemes = map[string]map[string]string{}
	for _, name := range []string{"light", "dark"} {
		_, after, ok := strings.Cut(css, ":root {")
		if !ok {
			t.Fatalf("there are no colors for %s", name)
		}
		block, after, _ := strings.Cut(after, "}")
		schemes[name] = map[string]string{}
		for _, m := range cssColor.FindAllStringSubmatch(block, -1) {
			schemes[name][m[1]] = m[2]
		}
		css = after
	}
	return schemes, css
}

// luminance returns the relative luminance of WCAG 2.2.
func luminance(hex string) float64 {
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		return math.NaN()
	}
	var l float64
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		v := float64(n>>(8*i)&0xff) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		l += weight * v
	}
	return l
}

func contrast(a, b string) float64 {
	x, y := luminance(a)+0.05, luminance(b)+0.05
	return max(x, y) / min(x, y)
}

func TestContrastOfBlackOnWhite(t *testing.T) {
	if got := contrast("000000", "ffffff"); math.Abs(got-21) > 1e-9 {
		t.Errorf("got %v, want 21", got)
	}
	if got := contrast("777777", "ffffff"); math.Abs(got-4.478) > 0.001 {
		t.Errorf("got %v, want 4.478", got)
	}
}

// TestContrast: in both color schemes text has a contrast of 4.5 to 1 to all its backgrounds, edges and the
// focus mark 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11). TestBrowserPages verifies the same in a browser, element by
// element.
func TestContrast(t *testing.T) {
	schemes, rest := styleSchemes(t)
	if found := anyColor.FindString(rest); found != "" {
		t.Errorf("a color without a name: %s", found)
	}
	pairs := []struct {
		text, on string
		atLeast  float64
	}{
		{"ink", "paper", 4.5},
		{"soft", "paper", 4.5},
		{"link", "paper", 4.5},
		{"visited", "paper", 4.5},
		{"accent", "paper", 4.5},
		{"ink", "panel", 4.5},
		{"soft", "panel", 4.5},
		{"link", "panel", 4.5},
		{"visited", "panel", 4.5},
		{"accent", "panel", 4.5},
		{"mark-ink", "mark", 4.5},
		{"button-ink", "button", 4.5},
		{"edge", "paper", 3},
		{"button", "paper", 3},
	}
	texts, grounds := map[string]bool{}, map[string]bool{}
	for _, p := range pairs {
		texts[p.text], grounds[p.on] = true, true
		for name, colors := range schemes {
			if got := contrast(colors[p.text], colors[p.on]); !(got >= p.atLeast) {
				t.Errorf("%s: %s on %s has %.2f, less than %v", name, p.text, p.on, got, p.atLeast)
			}
		}
	}
	uses := colorUse.FindAllStringSubmatch(rest, -1)
	if len(uses) < 20 {
		t.Fatalf("only %d colors are used", len(uses))
	}
	for _, m := range uses {
		known := texts
		if m[1] == "background" {
			known = grounds
		}
		if !known[m[2]] {
			t.Errorf("%s: var(--%s) is in no pair of this test", m[1], m[2])
		}
	}
	if len(schemes["light"]) != len(schemes["dark"]) {
		t.Errorf("light has %d colors, dark %d", len(schemes["light"]), len(schemes["dark"]))
	}
}
