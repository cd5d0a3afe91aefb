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
		Body: []byte(`<html><head><template><meta name=date content=1999-01-01><title>1.1.1999</title></template><title>News of the 31.2.2006 and 7/8/2006</title><META NAME=Date CONTENT="no date"><meta property=DATE content=2007-01-01>
			<meta name=dc.date content="2008-01-01"></head><body><nav>Today: 1.1.2026</nav><p>` + strings.Repeat("word ", 30) + `1 Jan 2009</p>
			<time>1 May 2010</time><time datetime="PT5M"><time datetime="2011-02-03T01:02:03+01:00"><footer>1.1.2001 <div title=x><p ID=changed title=when>Changed: <b>6</b>.5.<div>2012</div></p></div> 1.1.2002</footer></body></html>`),
		ContentType: "text/html", Charset: "utf-8", Rules: rules.LeavingOut(LeaveOut{Navigation: true}), Now: latestDate,
	}
	fits := func(string) bool { return true }
	at := func(r ...DateRule) string {
		for i := range r {
			if r[i].Fits == nil {
				r[i].Fits = fits
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
		{"2012-05-06T00:00:00Z", at(DateRule{Place: DateBody, Name: "#changed"})},
		{"2012-05-06T00:00:00Z", at(DateRule{Place: DateBody, Name: "[title=when]"})},
		{"none", at(DateRule{Place: DateBody, Name: ".changed"})},
		{"none", at()},
		{"none", at(DateRule{Place: DateURL, Fits: never})},
		{"2011-02-03T00:02:03Z", at(DateRule{Place: DateMeta, Name: "x"}, DateRule{Place: DateBody, Fits: never}, DateRule{Place: DateTime}, DateRule{Place: DateURL})},
	} {
		if x.got != x.want {
			t.Errorf("case %d: %s, want %s", i, x.got, x.want)
		}
	}
	tries := DateRules{{Fits: fits, Place: DateMeta, Name: "DATE"}, {Fits: fits, Place: DateURL}}.Try(&p)
	if len(tries) != 1 || tries[0].Text != "2007-01-01" {
		t.Errorf("%+v", tries)
	}
	p.Body, p.ContentType, p.Title, p.texts = []byte("Minutes of 13.2.2012\n\ntext"), "text/plain", "Minutes of 13.2.2012", nil
	if tries = (DateRules{{Fits: fits, Place: DateTitle}}).Try(&p); tries[0].Text != "13.2.2012" {
		t.Errorf("title of a text: %+v", tries)
	}
	p.ContentType = "text/html"
	p.Body, p.texts, p.body = []byte("\x00\xff<meta name=date content='"), nil, nil
	if tries = (DateRules{{Fits: fits, Place: DateMeta, Name: "date"}, {Fits: fits, Place: DateBody}, {Fits: fits, Place: DateURL}}).Try(&p); len(tries) != 3 || tries[0].Text != "" || tries[2].At.IsZero() {
		t.Errorf("%+v", tries)
	}
}

// FuzzDateRules: any content is read, and what is found is within the limits.
func FuzzDateRules(f *testing.F) {
	rules, err := NewRules(Rules{})
	if err != nil {
		f.Fatal(err)
	}
	fits := func(string) bool { return true }
	for _, s := range []string{"<title>1.2.2003<meta name=date content=2004>", "<template><time datetime=1.1.2001></template><svg><title/>", "\xff<TIME DateTime='2001-01-01T00:00+1'>"} {
		f.Add([]byte(s), "text/html", s)
		f.Add([]byte(s), "application/xhtml+xml; charset=utf-16", s)
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType, url string) {
		for _, place := range []DatePlace{DateURL, DateTitle, DateMeta, DateTime, DateBody, DateHeader} {
			p := &DatedPage{URL: url, LastModified: url, Body: body, ContentType: contentType, Title: url, Rules: rules, Now: latestDate}
			at := DateRules{{Fits: fits, Place: place, Name: "date"}}.Find(p)
			if !at.IsZero() && (at.Unix() < 0 || at.After(latestDate.Add(dateSlack))) {
				t.Errorf("%s: %v", place, at)
			}
		}
	})
}
