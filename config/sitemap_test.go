package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Sitemap URL belongs to the next Server, Sitemap no to all that follow.
func TestSitemapLines(t *testing.T) {
	c := load(t, files{setsName: `Sitemap https://a.example/1.xml
Sitemap https://CDN.example/a.xml.gz
Server https://a.example/
Server https://b.example/
Sitemap no
Server https://c.example/
Sitemap YES
Sitemap http://d.example/s.txt
Server https://d.example/
`})
	want := [][]Sitemap{{{URL: "https://a.example/1.xml", Line: 1}, {URL: "https://CDN.example/a.xml.gz", Line: 2}}, nil, nil, {{URL: "http://d.example/s.txt", Line: 8}}}
	for i, s := range c.Sets.Servers {
		for k := range s.Sitemaps {
			s.Sitemaps[k].File = ""
		}
		if d := cmp.Diff(want[i], s.Sitemaps); d != "" || s.NoSitemaps != (i == 2) {
			t.Errorf("%s: no %v (-want +got):\n%s", s.URL, s.NoSitemaps, d)
		}
	}
	if o := c.Sets.Outside; o.Sitemaps != nil || o.NoSitemaps {
		t.Errorf("outside: %+v", o)
	}
}
