package document

import "testing"

func TestTitleOfPlainText(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"Opening hours\nMonday", "Opening hours"},
		{"\r\n=====\r\n  Tide   tables \r\nx", "Tide tables"},
		{"\u00a0\n\xe2\x80\x94\n2020", "2020"},
		{"", ""},
		{"---\n***\n", ""},
	} {
		d := parseWith(t, c.body, "text/plain; charset=utf-8", Rules{})
		if d.Title != c.want {
			t.Errorf("%q: title %q, want %q", c.body, d.Title, c.want)
		}
		for _, w := range d.Words {
			for _, p := range w.Positions {
				if p>>14 == sectionTitle {
					t.Errorf("%q: %q counts as a word of the title", c.body, w.Text)
				}
			}
		}
	}
}
