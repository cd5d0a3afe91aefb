package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSkipExtensions(t *testing.T) {
	const server = "\nServer http://a/\n"
	all := load(t, files{setsName: server}).Sets.SkipExtensions
	if !defaultExtensions(all) {
		t.Errorf("default %q", all)
	}
	for text, want := range map[string][]string{
		"SkipExtensions none": nil, "SkipExtensions .PNG tar.gz\nskipextensions gif png": {"gif", "png", "tar.gz"},
		"SkipExtensions " + strings.Join(all, " "): all,
	} {
		if d := cmp.Diff(want, load(t, files{setsName: text + server}).Sets.SkipExtensions); d != "" && len(want) > 0 {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
	for text, want := range map[string]string{
		"SkipExtensions": "a value is missing; write none to leave nothing out", "SkipExtensions png none": "none stands alone",
		"SkipExtensions *.png": `"*.png" is no extension: letters and digits, as in png or tar.gz`,
	} {
		if got := problems(t, files{setsName: text + server}, nil); len(got) != 1 || !strings.HasSuffix(got[0], want) {
			t.Errorf("%s: %q, want %s", text, got, want)
		}
	}
	for _, line := range []string{"SkipExtensions none", "Converter application/zip text/plain x"} {
		if load(t, files{setsName: server}).Hash == load(t, files{setsName: line + server}).Hash {
			t.Errorf("%s: the links of unchanged pages are not read again", line)
		}
	}
}
