package endless

import "testing"

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		url  string
		n    int
		want bool
	}{
		{"http://h/a/a/a/", 3, true},
		{"http://h/a/a/a", 3, true},
		{"http://h/x/a/a/b/a", 3, false},
		{"http://h/a/b/a/b/", 2, true},
		{"http://h/a/b/a/c/", 2, false},
		{"http://h/a/b/a/b/a/b/page.html", 3, true},
		{"http://h/a/b/c/a/b/c/", 2, true},
		{"http://h/a/b/c/d/a/b/c/d/", 2, false},
		{"http://h/2020/2020/", 3, false},
		{"http://h/2020/2020/", 2, true},
		{"http://h////", 3, true},
		{"http://h//", 3, false},
		{"http://a/a/a", 3, false}, // the host is no segment
		{"http://h/?a=1&a=2&a=3", 3, true},
		{"http://h/?a=1;b=2;a=3&c", 3, false},
		{"http://h/?a&a;a", 3, true},
		{"http://h/p?next=/a/a/a/a/", 3, false}, // in a value
		{"file:///a/a/a", 3, true},
		{"http://h", 2, false},
		{"http://h/a/a/a/a/a/?b&b&b&b", 0, false},
	} {
		if got := Repeats(c.url, c.n); got != c.want {
			t.Errorf("%s, %d: got %v", c.url, c.n, got)
		}
	}
}
