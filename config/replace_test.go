package config

import "testing"

// Replace lines apply in their order, ignoring case, to all matches; one without values ends those above it.
func TestReplace(t *testing.T) {
	for _, c := range []struct{ lines, link, want string }{
		{"Replace ;jsessionid=[0-9a-f]+", "http://a/x;JSESSIONID=0AF?y", "http://a/x?y"},
		{"Replace a b", "http://aa/", "http://bb/"},
		{`Replace ^http://(www\.)?old\.example/(\w+)/ https://new.example/\2/\1/`, "http://www.old.example/x/y", "https://new.example/x/www./y"},
		{`Replace ^http://(www\.)?old\.example/ https://new.example/\1`, "http://old.example/y", "https://new.example/y"},
		{"Replace x $1", "http://a/x", "http://a/$1"},
		{`Replace x a\\b\c`, "http://a/x", `http://a/a\b\c`},
		{`Replace "x y" "z z"`, "http://a/x y", "http://a/z z"},
		{"Replace a b\nReplace b c", "http://a/", "http://c/"},
		{"Replace a b\nReplace\nReplace c d", "http://a/c", "http://a/d"},
	} {
		got := c.link
		for _, r := range load(t, files{setsName: c.lines + "\nServer http://a/\n"}).Sets.Servers[0].Replace {
			got = r.Apply(got)
		}
		if got != c.want {
			t.Errorf("%q: %s becomes %s, want %s", c.lines, c.link, got, c.want)
		}
	}
	c := load(t, files{setsName: "Replace a b\nCharset CP1251\nServer http://a/\nReplace c d\nCharset AUTO\nServer http://b/\nReplace\nServer http://c/\n"})
	for i, want := range []int{1, 2, 0} {
		if s := c.Sets.Servers[i]; len(s.Replace) != want || (s.Charset == "windows-1251") != (i == 0) {
			t.Errorf("%s has %d lines and charset %q", s.URL, len(s.Replace), s.Charset)
		}
	}
}
