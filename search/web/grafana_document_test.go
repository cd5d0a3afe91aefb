package web

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDashboardAndAlerts: the dashboard and the alert rules name metrics that /metrics has, and the document of the metrics names no
// others.
func TestDashboardAndAlerts(t *testing.T) {
	s, _ := newTestServer(&fakeIndex{}, ServerOptions{})
	for _, path := range []string{"/", "/search?q=a"} {
		get(t, s, path)
	}
	have := map[string]bool{}
	for line := range strings.Lines(get(t, s, "/metrics").text) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(strings.TrimSpace(name), " ")
			have[name] = true
			if kind == "histogram" {
				have[name+"_bucket"], have[name+"_sum"], have[name+"_count"] = true, true, true
			}
		}
	}
	for file, least := range map[string]int{"grafana/pgseek.json": 20, "grafana/alerts.yml": 9, "metrics.md": 19} {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".json") && !json.Valid(b) {
			t.Errorf("%s is not JSON", file)
		}
		named := regexp.MustCompile(`pgseek_[a-z_]+`).FindAllString(string(b), -1)
		if len(named) < least {
			t.Errorf("%s names %d metrics", file, len(named))
		}
		for _, name := range named {
			if !have[name] {
				t.Errorf("%s names the metric %s, which there is not", file, name)
			}
		}
	}
}
