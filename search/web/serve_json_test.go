package web

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wantJSON has the names of the JSON answer, which programs rely on.
const wantJSON = `{
 "query": "vacuum the",
 "understood": "vacuum the",
 "total_sites": 1,
 "total_urls": 42,
 "total_all": 0,
 "total_any": 0,
 "total_any_more": false,
 "page": 2,
 "per_page": 10,
 "pages": 3,
 "grouped": true,
 "order": "rate",
 "took_ms": 1.5,
 "next": "/search?q=vacuum+the&dt=back&dp=1d&fr=1773478800&np=2&format=json",
 "previous": "/search?q=vacuum+the&dt=back&dp=1d&fr=1773478800&format=json",
 "words": [
  {
   "text": "vacuum",
   "urls": 42,
   "total": 99,
   "words": 1
  }
 ],
 "notes": [
  {
   "field": "q",
   "at": 3,
   "text": "“the” is left out."
  }
 ],
 "suggestions": [
  {
   "word": "vacum",
   "instead": "vacuum",
   "used": false
  }
 ],
 "key_matches": [],
 "results": [
  {
   "url_id": 11,
   "site_id": 5,
   "url": "https://a.example/x?<b>",
   "title": "<script>alert(1)</script>",
   "description": "",
   "keywords": "",
   "txt": "begin",
   "docsize": 1234,
   "content_type": "text/html",
   "charset": "",
   "lang": "en",
   "last_modified": "Sat, 01 Feb 2026 00:00:00 GMT",
   "modified": "2026-02-01T00:00:00Z",
   "crc": "abc",
   "status": 200,
   "lost": 404,
   "all": false,
   "rank": 4000000000,
   "first": true,
   "in_site": 40,
   "more": "/search?q=vacuum+the&st=5&dt=back&dp=1d&fr=1773478800&gr=off&format=json",
   "cached": "/cache?id=11&q=vacuum+the",
   "excerpts": [
    [
     {
      "text": "a full ",
      "cut_before": true
     },
     {
      "text": "vacuum",
      "term": 0
     }
    ]
   ],
   "clones": [
    {
     "url_id": 12,
     "url": "https://b.example/x"
    }
   ],
   "more_clones": 3
  },
  {
   "url_id": 13,
   "site_id": 5,
   "url": "https://a.example/y",
   "title": "",
   "description": "",
   "keywords": "",
   "txt": "",
   "docsize": 0,
   "content_type": "",
   "charset": "",
   "lang": "",
   "last_modified": "",
   "crc": "",
   "status": 200,
   "all": false,
   "rank": 7,
   "first": false,
   "in_site": 0,
   "excerpts": [],
   "clones": [],
   "more_clones": 0
  }
 ]
}
`

func TestSearchAsJSON(t *testing.T) {
	x := &fakeIndex{}
	s, _ := newTestServer(x, ServerOptions{Defaults: Defaults{PerPage: 10, Excerpts: 2}})
	r := get(t, s, "/search?q=vacuum+the&np=1&dp=1d&format=json")
	if diff := cmp.Diff(wantJSON, r.text); diff != "" || r.StatusCode != 200 || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s (-want +got):\n%s", r.StatusCode, r.Header.Get("Content-Type"), diff)
	}
	if len(x.asked) != 1 || x.asked[0].Page != 1 || x.asked[0].PerPage != 10 || x.asked[0].Excerpts != 2 || x.asked[0].Query.String() != "vacuum the" {
		t.Errorf("asked %+v", x.asked)
	}
}

func TestWhoGetsJSON(t *testing.T) {
	s, _ := newTestServer(&fakeIndex{}, ServerOptions{})
	for _, c := range []struct {
		target, accept string
		json           bool
	}{
		{"/search?q=a", "", false},
		{"/search?q=a", "*/*", false},
		{"/search?q=a", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false},
		{"/search?q=a", "application/json", true},
		{"/search?q=a", "application/json, text/plain, */*", true},
		{"/search?q=a", "text/html;q=0.5, Application/JSON ; q=0.9", true},
		{"/search?q=a", "text/html, application/json;q=0.9", false},
		{"/search?q=a", "application/json;q=0", false},
		{"/search?q=a", "application/json;q=x", false},
		{"/search?q=a&format=json", "text/html", true},
		{"/s.cgi?q=a&format=json", "", true},
		{"/search?q=%22&format=json", "", true}, // an error
		{"/search?format=json", "", true},       // an empty query
		{"/nowhere", "application/json", true},
		{"/status", "application/json", true}, // a failure, here
	} {
		r := get(t, s, c.target, "Accept", c.accept)
		if got := r.Header.Get("Content-Type") == "application/json"; got != c.json {
			t.Errorf("%s, Accept %q: %s", c.target, c.accept, r.Header.Get("Content-Type"))
		}
		if c.json && !json.Valid([]byte(r.text)) {
			t.Errorf("%s: no JSON", c.target)
		}
	}
}
