package foreign

import (
	"regexp"
	"testing"
)

// TestPatterns: what the old programs match, the new pattern matches, and nothing else.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ got, want string }{
		{glob("*.gif"), `\.gif$`},
		{glob("*/cgi-bin/*"), `/cgi-bin/`},
		{glob("http://a.org/x?y"), `^http://a\.org/x.y$`},
		{glob("*"), ".*"},
		{glob("**"), ".*"},
		{glob("a*b*"), "^a.*b"},
		{glob("?"), "^.$"},
		{glob(""), "^$"},
		{ere(`\.gif$`), `\.gif$`},
		{ere(`\<word\>`), `\bword\b`},
		{ere(`a\\<b`), `a\\<b`},
		{ere("*x"), `\*x`},
		{ere("[[:<:]]x"), `\bx`},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
		if _, err := regexp.Compile(c.got); err != nil {
			t.Error(err)
		}
	}
}

// TestPrograms: the program is told from the lines, and from the name of the file where they say nothing.
func TestPrograms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"x.conf", "DeltaBufferSize 64\n", "ASPseek"},
		{"x.conf", "Disallow \\.gif$\n", "ASPseek"},
		{"x.conf", "Disallow *.gif\n", "mnoGoSearch"},
		{"x.conf", "Server path http://a.org/b/\n", "mnoGoSearch"},
		{"x.conf", "Section body 1 256\nIndexDocSizeLimit 3\n", "DataparkSearch"},
		{"aspseek.conf", "Server http://a.org/\n", "ASPseek"},
		{"indexer.conf", "Server http://a.org/\n", "mnoGoSearch"},
	} {
		if r := imported(t, c.name, c.text, nil); r.Program != c.want {
			t.Errorf("%s: %q is for %s, want %s", c.name, c.text, r.Program, c.want)
		}
	}
}
