package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screenshots are the pictures of `make screenshots`. They fit the PostgreSQL manual, on a server or in the
// sample.
var screenshots = []struct {
	name, path    string
	width, height int64
	scheme        string
}{
	{"home", "/", 1200, 760, "light"},
	{"results", "/search?q=vacuum+table", 1200, 1000, "light"},
	{"results-dark", "/search?q=vacuum+table", 1200, 1000, "dark"},
	{"phone", "/search?q=vacuum+table", 360, 780, "light"},
	{"advanced", "/advanced?iq=vacuum+table", 1200, 1000, "light"},
	{"empty", "/search?q=autovacum+treshold", 1200, 760, "light"},
	{"error", "/search?q=%28vacuum+OR+analyze%29+AND+OR+table", 1200, 560, "light"},
	{"help", "/help", 1200, 1000, "light"},
	{"status", "/status", 1200, 1000, "light"},
	{"operator", "/operator", 1200, 1000, "light"},
	{"operator-phone", "/operator", 390, 780, "light"},
	{"explain", "/explain?url=https://www.example.org/old", 1000, 760, "light"},
}

// TestScreenshots writes pictures into the folder PGSEEK_SCREENSHOTS, of the server at PGSEEK_URL or of the
// sample.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("PGSEEK_SCREENSHOTS")
	if folder == "" {
		t.Skip("make screenshots takes pictures")
	}
	b := startBrowser(t, func() string {
		if base := os.Getenv("PGSEEK_URL"); base != "" {
			return strings.TrimSuffix(base, "/")
		}
		return serve(t, "sample")
	})
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, s := range screenshots {
		b.size(s.width, s.height)
		b.scheme(s.scheme)
		if s.path == "/operator" && os.Getenv("PGSEEK_URL") != "" {
			s.path = "/status" // of searchd on this machine
		}
		b.open(s.path)
		picture := inBrowser(b, "picture of "+s.path, chromedp.CaptureScreenshot())
		if err := os.WriteFile(filepath.Join(folder, s.name+".png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s.png: %d bytes", s.name, len(picture))
	}
	b.quiet()
}
