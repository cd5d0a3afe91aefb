package index

import (
	"os/exec"
	"strings"
	"testing"
)

// A URL comes from the web: the command that an operator pastes into a shell must name it, as a pattern that
// matches nothing else, and must run nothing else.
func TestDoFetchIsForAShell(t *testing.T) {
	for _, url := range []string{
		"http://www.example.org/a.html", "http://www.example.org/?a=1&b=2", "http://www.example.org/$(touch x)`id`;id|id>x#y",
		"http://www.example.org/it's_100%25\\n", "http://www.example.org/*?~'\"'\"",
	} {
		command, ok := strings.CutSuffix(DoFetch(url), " fetches it again")
		args, found := strings.CutPrefix(command, "index -qam -u ")
		if !ok || !found {
			t.Fatalf("%s", DoFetch(url))
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+args).Output()
		if err != nil {
			t.Fatalf("%s: %v", args, err)
		}
		if got := strings.NewReplacer(`\\`, `\`, `\%`, `%`, `\_`, `_`).Replace(string(out)); got != url || strings.Contains(strings.NewReplacer(`\%`, "", `\_`, "").Replace(string(out)), "_") {
			t.Errorf("%s: the shell makes it %s", url, out)
		}
	}
}
