package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

// TestLine: the commit is named where the build knows it, and a module version that is a release is the release.
func TestLine(t *testing.T) {
	stamp := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-11-23T19:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	for _, c := range []struct {
		module string
		stamp  []debug.BuildSetting
		want   string
	}{
		{"(devel)", nil, "index (pgseek) " + release + ", go"},
		{"", stamp, "index (pgseek) " + release + ", commit 0123456789ab of 2026-11-23 with changes, go"},
		{"v0.0.0-20261123190000-0123456789ab+dirty", stamp[:1], "index (pgseek) " + release + ", commit 0123456789ab, go"},
		{"v0.3.1", nil, "index (pgseek) 0.3.1, go"},
	} {
		got := line("index", &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.stamp})
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q...", c.module, got, c.want)
		}
	}
	if Number() == "" || strings.HasPrefix(Number(), "v") {
		t.Errorf("number %q", Number())
	}
}
