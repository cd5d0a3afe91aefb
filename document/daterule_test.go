package document

import (
	"strings"
	"testing"
	"time"
)

// Each place of a page, and the order of rules.
func TestDateRules(t *testing.T) {
	t.Parallel()
	rules, err := NewRules(Rules{})
	if err != nil {
		t.Fatal(err)
	}
	p := DatedPage{
		URL: "http://2001-01-01.example:2002/a/2003/02/03/x-2004-01-01?on=2005-01-01", LastModified: "Sun, 06 Nov 1994 08:49:37 GMT",
		Body: []byte(`<html><head><title>News of the 31.2.2006 and 7/8/2006</title><META NAME=Date CONTENT="no date"><meta property=DATE content=2007-01-01>
			<meta name=dc.date content="2008-01-01"></head><body><nav>Today: 1.1.2026</nav><p>` + strings.Repeat("word ", 30) + `1 Jan 2009</p>
			<time>1 May 2010</time><time datetime="PT5M"><time datetime="2011-02-03T01:02:03+01:00"></body></html>`),
		ContentType: "text/html", Charset: "utf-8", Rules: rules.LeavingOut(LeaveOut{Navigation: true}), Now: latestDate,
	}
	any := func(string) bool { return true }
	at := func(r ...DateRule) string {
		for i := range r {
			if r[i].Fits == nil {
				r[i].Fits = any
			}
		}
		page := p
		if at := DateRules(r).Find(&page); !at.IsZero() {
			return at.Format(time.RFC3339)
		}
		return "none"
	}
	never := func(string) bool { return false }
	for i, x := range []struct {
		want string
		got  string
	}{
		{"2003-02-03T00:00:00Z", at(DateRule{Place: DateURL})},
		{"2006-08-07T00:00:00Z", at(DateRule{Place: DateTitle})},
		{"2006-07-08T00:00:00Z", at(DateRule{Place: DateTitle, Order: MDY})},
		{"2007-01-01T00:00:00Z", at(DateRule{Place: DateMeta, Name: "date"})},
		{"2008-01-01T00:00:00Z", at(DateRule{Place: DateMeta, Name: "DC.date"})},
		{"none", at(DateRule{Place: DateMeta, Name: "dc"})},
		{"2009-01-01T00:00:00Z", at(DateRule{Place: DateBody})},
		{"2011-02-03T00:02:03Z", at(DateRule{Place: DateTime})},
		{"1994-11-06T08:49:37Z", at(DateRule{Place: DateHeader})},
		{"none", at()},
		{"none", at(DateRule{Place: DateURL, Fits: never})},
		{"2011-02-03T00:02:03Z", at(DateRule{Place: DateMeta, Name: "x"}, DateRule{Place: DateBody, Fits: never}, DateRule{Place: DateTime}, DateRule{Place: DateURL})},
	} {
		if x.got != x.want {
			t.Errorf("case %d: %s, want %s", i, x.got, x.want)
		}
	}
	tries := DateRules{{Fits: any, Place: DateMeta, Name: "DATE"}, {Fits: any, Place: DateURL}}.Try(&p)
	if len(tries) != 1 || tries[0].Text != "2007-01-01" {
		t.Errorf("%+v", tries)
	}
	p.Body, p.ContentType, p.Title, p.read = []byte("Minutes of 13.2.2012\n\ntext"), "text/plain", "Minutes of 13.2.2012", false
	if tries = (DateRules{{Fits: any, Place: DateTitle}}).Try(&p); tries[0].Text != "13.2.2012" {
		t.Errorf("title of a text: %+v", tries)
	}
	p.ContentType = "text/html"
	p.Body, p.read = []byte("\x00\xff<meta name=date content='"), false
	if tries = (DateRules{{Fits: any, Place: DateMeta, Name: "date"}, {Fits: any, Place: DateBody}, {Fits: any, Place: DateURL}}).Try(&p); len(tries) != 3 || tries[0].Text != "" || tries[2].At.IsZero() {
		t.Errorf("%+v", tries)
	}
}
