package foreign

import (
	"fmt"
	"strings"
	"testing"
)

// TestB83NoConfiguration: what is no configuration of an old program ends the import with a sentence, and an Include line that cannot be
// followed costs that line only.
func TestB83NoConfiguration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "no directive",
		"# Server http://a.org/\n\n":      "no directive",
		"Server http://a.org/\x00\n":      "NUL byte",
		"[main]\nkey = value\n":           "no directive of ASPseek",
		"Server http://a.org/\n":          "name the file aspseek.conf or indexer.conf",
		"<?xml version=\"1.0\"?>\n<x/>\n": "no directive of ASPseek",
	} {
		if _, err := Import("/old/x.conf", t.TempDir(), reader("x.conf", text, nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}

	many := map[string]string{"self": "Include self\nInclude aspseek.conf\n", "nul": "\x00"}
	for i := range 9 { // deeper than can be, and each twice
		many[fmt.Sprint("deep", i)] = strings.Repeat(fmt.Sprintf("Include deep%d\nTag %d\n", i+1, i), 2)
	}
	r := imported(t, "aspseek.conf", "Server http://a.org/\r\nInclude\nInclude self\nInclude nul\nInclude deep0\nDeltaBufferSize 64\n", many)
	if r.Servers != 1 || len(r.NotRead) < 5 || len(r.Directives) > 1000 {
		t.Errorf("%d servers, %d directives, not read: %q", r.Servers, len(r.Directives), r.NotRead)
	}

	long := "Disallow " + strings.Repeat("a", maxLine) + "\n"
	r = imported(t, "aspseek.conf", "\uFEFFServer http://a.org/\n"+long+"Disallow caf\xe9\nMaxHops 3\\", nil)
	if r.Count(Carried) != 2 || r.Count(LeftOut) != 2 {
		t.Errorf("a long line and one in Latin 1: %d carried over, %d left out\n%s", r.Count(Carried), r.Count(LeftOut), r.Sets)
	}
}

// TestB84Values: no value becomes a line of its own, stands on a terminal as it is, or shows a password in a comment.
func TestB84Values(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Server http://a.org/\rServer http://evil.org/\n",
		"Server http://a.org/\x1b[2J\n",
		"Disallow a\\\\\nDisallow b\\\n", // backslashes at the ends of lines
		"Disallow a b\\\nServer http://evil.org/\n",
		"HTTPHeader X: y\\\\\n",
		"Tag \"\n",
		"Replace \"a b\\\"\n",
		"Converter a/b text/plain x \\\nServer http://evil.org/\n",
		"Server http://a.org/ http://evil.org/\n",
		"Server \"http://a.org/\"\nServer http://[::1\n",
		"#x\\\nServer http://a.org/\n",
	} {
		for _, name := range []string{"aspseek.conf", "indexer.conf"} {
			r := imported(t, name, text+"MaxHops 3\nServer http://good.org/\n", nil)
			both := string(r.Sets) + string(r.Spider)
			for line := range strings.Lines(both) {
				if strings.HasPrefix(line, "Server") && strings.Contains(line, "evil") || strings.ContainsAny(line, "\x1b\r") {
					t.Errorf("%s: %q became the line %q", name, text, line)
				}
			}
			if !strings.Contains(both, "\nServer http://good.org/\n") {
				t.Errorf("%s: %q costs the Server line below it:\n%s", name, text, both)
			}
		}
	}

	secrets := "DBAddr mysql://u:hunter2@h/db/?dbmode=blob\nDBPass hunter2\nProxyAuthBasic u:hunter2\nHTTPHeader Authorization: hunter2\n" +
		"HTDBAddr mysql://u:hunter2@h/db/\nServer ftp://u:hunter2@h/\nServerTable mysql://u:hunter2/x@h/db/t\nInclude http://u:hunter2@h/\n" +
		"# our password: mysql://u:hunter2@h/\nTag 3\nAuthBasic u:hunter2\nServer ftp://h/\nUnheardOf password=hunter2\n"
	r := imported(t, "indexer.conf", secrets, nil)
	if both := string(r.Sets) + string(r.Spider) + fmt.Sprint(r.Directives, r.NotRead); strings.Contains(both, "hunter2") {
		t.Errorf("a password is shown:\n%s", both)
	}
	if r.Secret {
		t.Error("files without a password are said to have one")
	}
	r = imported(t, "indexer.conf", "AuthBasic u:hunter2\nServer http://a.org/\n", nil)
	if !r.Secret || !strings.Contains(string(r.Sets), "\nAuthBasic u:hunter2\nServer http://a.org/\n") {
		t.Errorf("AuthBasic: %v\n%s", r.Secret, r.Sets)
	}
}

// FuzzImport: whatever the file has, it is refused, or all of its lines are accounted for and config reads the result.
func FuzzImport(f *testing.F) {
	for _, text := range []string{
		"Server http://a.org/\n", "Disallow *.gif\nServer page http://a.org/x/y\n", "Realm Regex ^http://(a|b)\\.org/\nURL http://a.org/\n",
		"AuthBasic a:b\nServer file:/srv/x/\n", "Mime a/b text/plain \"x $1 | y\"\nTag x\n", "Allow \\.gif$\nDisallow \\.gif$ \\<x\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"aspseek.conf", "indexer.conf"} {
			if r, err := Import("/old/"+name, "/new", reader(name, text, nil)); err == nil {
				sound(t, r)
			}
		}
	})
}
