package web

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/query/querytest"
)

// formOf reads the parameters of a URL that must be valid.
func formOf(t *testing.T, query string) Form {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ReadForm(values)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return f
}

// formCases has all parameters with their forms. The second column is the result of Encode if it differs.
var formCases = []struct {
	query, encoded string
	want           Form
}{
	{"", "", Form{}},
	{"q=vacuum+full", "", Form{Params: query.Params{Query: "vacuum full"}}},
	{"q=a&r=b&in=on", "q=a&r=b&in=on", Form{Params: query.Params{Query: "a", Previous: "b", Within: true}}},
	{"iq=a+b&im=p&xq=c&xm=p", "", Form{Params: query.Params{Include: "a b", IncludePhrase: true, Exclude: "c", ExcludePhrase: true}}},
	{"iq=a&im=w", "iq=a", Form{Params: query.Params{Include: "a"}}},
	{"q=a&is=b.example&xs=c.example", "", Form{Params: query.Params{Query: "a", IncludeSites: "b.example", ExcludeSites: "c.example"}}},
	{"q=a&site=b.example", "q=a&is=b.example", Form{Params: query.Params{Query: "a", IncludeSites: "b.example"}}},
	{"ln=http%3A%2F%2Fa.example%2F", "", Form{Params: query.Params{Link: "http://a.example/"}}},
	{"q=a&bd=on&ds=yes&kw=1&tl=TRUE", "q=a&bd=on&ds=on&kw=on&tl=on", Form{Params: query.Params{Query: "a", Body: true, Desc: true, Keywords: true, Title: true}}},
	{"q=a&bd=off&ds=&kw=0", "q=a", Form{Params: query.Params{Query: "a"}}},
	{
		"q=a&ul=http%3A%2F%2Fa%2F&ul=&ul=http%3A%2F%2Fb%2F&ul=http%3A%2F%2Fa%2F", "q=a&ul=http%3A%2F%2Fa%2F&ul=http%3A%2F%2Fb%2F",
		Form{Params: query.Params{Query: "a"}, Limits: []string{"http://a/", "http://b/"}},
	},
	{"q=a&sp2=on&sp1=on&sp3=off&sp=2,7", "q=a&sp=1%2C2%2C7", Form{Params: query.Params{Query: "a"}, Spaces: []int32{1, 2, 7}}},
	{"q=a&st=16777215", "", Form{Params: query.Params{Query: "a"}, Narrowing: Narrowing{SiteIDs: []int32{16777215}}}},
	{"q=a&st=7,3&st=3&st=0", "q=a&st=3%2C7", Form{Params: query.Params{Query: "a"}, Narrowing: Narrowing{SiteIDs: []int32{3, 7}}}},
	{
		"q=a&lang=DE&lang=pt-BR,de&type=HTM,.pdf+txt&tag=2,0&path=docs%2Fü+x%2F&facets=on", "q=a&lang=de%2Cpt&type=html%2Cpdf%2Ctext&tag=0%2C2&path=%2Fdocs%2F%25C3%25BC%2520x%2F&facets=on",
		Form{
			Params: query.Params{Query: "a"}, Facets: true,
			Narrowing: Narrowing{Langs: []string{"de", "pt"}, Types: []string{"html", "pdf", "text"}, Tags: []int32{0, 2}, Path: "/docs/%C3%BC%20x/"},
		},
	},
	{"q=a&dt=older&dp=1y", "", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesOlder, Back: "1y"}}},
	{"q=a&np=49&ps=20", "q=a&ps=20&np=49", Form{Params: query.Params{Query: "a"}, Page: 49, PerPage: 20}},
	{"q=a&page=1", "q=a", Form{Params: query.Params{Query: "a"}}},
	{"q=a&page=3&np=2", "q=a&np=2", Form{Params: query.Params{Query: "a"}, Page: 2}},
	{"q=a&np=&ps=", "q=a", Form{Params: query.Params{Query: "a"}}},
	{"q=a&gr=off&s=date&fm=on&ad=off", "q=a&s=date&gr=off&fm=on&ad=off", Form{Params: query.Params{Query: "a"}, Group: Off, Order: search.ByDate, Forms: On, Distance: Off}},
	{"q=a&gr=on&s=rate&fm=off&ad=on", "q=a&gr=on&fm=off&ad=on", Form{Params: query.Params{Query: "a"}, Group: On, Forms: Off, Distance: On}},
	{"q=a&hl=pt-BR", "q=a&hl=pt-BR", Form{Params: query.Params{Query: "a"}, Language: "pt-BR"}},
	{"q=a&hl=%3Cb%3E", "q=a", Form{Params: query.Params{Query: "a"}}},
	{"q=a&match=all", "q=a&match=all", Form{Params: query.Params{Query: "a"}, Match: On}},
	{"q=a&match=any", "q=a&match=any", Form{Params: query.Params{Query: "a"}, Match: Off}},
	{"q=a&fm=ru,en,ru", "q=a&fm=en%2Cru", Form{Params: query.Params{Query: "a"}, Forms: On, Languages: []string{"en", "ru"}}},
	{"q=a&fm=de", "q=a&fm=de", Form{Params: query.Params{Query: "a"}, Forms: On, Languages: []string{"de"}}},
	{"q=a&fm=no,no", "q=a&fm=no%2Cno", Form{Params: query.Params{Query: "a"}, Forms: On, Languages: []string{"no"}}},
	{"q=a&fm=no", "q=a&fm=off", Form{Params: query.Params{Query: "a"}, Forms: Off}},
	{"q=a&t=any&explain=1&format=JSON", "q=a&t=any&explain=1&format=json", Form{Params: query.Params{Query: "a"}, Jump: true, Explain: true, JSON: true}},
	{"q=a&dt=back&dp=1m-10d", "", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesBack, Back: "1m-10d"}}},
	{"q=a&dt=back&dp=0&dd=99&db=never", "q=a&dt=back&dp=0", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesBack, Back: "0"}}},
	{"q=a&dp=7d", "q=a&dt=back&dp=7d", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesBack, Back: "7d"}}},
	{"q=a&dt=er&dx=-1&dd=29&dm=1&dy=2024", "", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesEr, Until: true, Day: "2024-02-29"}}},
	{"q=a&dt=er&dd=1&dm=0&dy=2026", "q=a&dt=er&dx=1&dd=1&dm=0&dy=2026", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesEr, Day: "2026-01-01"}}},
	{"q=a&dt=range&db=31/12/2025&de=2026-01-02", "q=a&dt=range&db=2025-12-31&de=2026-01-02", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesRange, Begin: "2025-12-31", End: "2026-01-02"}}},
	{"q=a&de=1/2/2026", "q=a&dt=range&de=2026-02-01", Form{Params: query.Params{Query: "a"}, Dates: DateForm{Kind: DatesRange, End: "2026-02-01"}}},
	{"q=a&fr=1000&to=2000", "", Form{Params: query.Params{Query: "a"}, Dates: DateForm{From: 1000, To: 2000}}},
	// Unknown parameters are ignored; control characters and invalid bytes become blanks.
	{"q=a%00b%1b%ff&tmpl=..%2Fetc&o=3&langs=en&utm_source=x", "q=a+b++", Form{Params: query.Params{Query: "a b  "}}},
	{"q=%EF%E5%F0&cs=windows-1251", "q=%D0%BF%D0%B5%D1%80", Form{Params: query.Params{Query: "пер"}}},
	{"q=%D0%BF&cs=UTF-8", "q=%D0%BF", Form{Params: query.Params{Query: "п"}}},
}

func TestFormIsReadAndWritten(t *testing.T) {
	for _, c := range formCases {
		got := formOf(t, c.query)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
		want := c.encoded
		if want == "" {
			want = c.query
		}
		if got.Encode() != want {
			t.Errorf("%s: Encode = %s, want %s", c.query, got.Encode(), want)
		}
		if diff := cmp.Diff(got, formOf(t, got.Encode())); diff != "" {
			t.Errorf("%s: read again (-first +second):\n%s", c.query, diff)
		}
	}
}

// TestFormRefusesBadValues: each invalid value of a parameter is an error that names the parameter in a short
// sentence (B39).
func TestFormRefusesBadValues(t *testing.T) {
	for queryText, field := range map[string]string{
		"np=-1": "np", "np=1000": "np", "np=x": "np", "np=2147483648": "np", "np=9223372036854775808": "np", "np=1e3": "np", "np=%2B1": "np",
		"np=99999999999999999999999999": "np",
		"page=0":                        "page", "page=-1": "page", "page=x": "page", "page=2147483648": "page", "page=9223372036854775808": "page",
		"page=2&np=0": "page",
		"ps=0":        "ps", "ps=-1": "ps", "ps=101": "ps", "ps=ten": "ps", "ps=2147483648": "ps", "ps=9223372036854775808": "ps", "ps=0x10": "ps",
		"st=-1": "st", "st=16777216": "st", "st=9223372036854775808": "st", "st=1,x": "st",
		"lang=d": "lang", "lang=german": "lang", "tag=-1": "tag", "tag=x": "tag", "type=" + strings.Repeat("x", 101): "type", "path=" + strings.Repeat("x", 2049): "path",
		"sp=0": "sp", "sp=-1": "sp", "sp=x": "sp", "sp=2147483648": "sp", "sp0=on": "sp", "sp99999999999999999999=on": "sp",
		"sp=" + strings.Repeat("1,2,3,4,5,6,7,8,9,", 1) + "11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34": "sp",
		"ul=" + strings.Repeat("x", 2049): "ul",
		"ul=1&ul=2&ul=3&ul=4&ul=5&ul=6&ul=7&ul=8&ul=9&ul=10&ul=11&ul=12&ul=13&ul=14&ul=15&ul=16&ul=17&ul=18&ul=19&ul=20&ul=21&ul=22&ul=23&ul=24&ul=25&ul=26&ul=27&ul=28&ul=29&ul=30&ul=31&ul=32&ul=33": "ul",
		"s=best": "s", "match=some": "match", "format=xml": "format", "gr=maybe": "gr", "fm=perhaps": "fm", "fm=xx": "fm", "fm=en,": "fm", "tl=title": "tl", "cs=klingon": "cs",
		"dt=soon": "dt", "dt=back&dp=x": "dp", "dt=back&dp=-7d": "dp", "dt=back&dp=201y": "dp", "dt=back&dp=999999999y999999999y": "dp",
		"dt=er&dd=30&dm=1&dy=2026": "dd", "dt=er&dd=1&dm=12&dy=2026": "dm", "dt=er&dd=1&dm=1&dy=0": "dy", "dt=er": "dd", "dt=er&dx=2&dd=1&dm=1&dy=2026": "dx",
		"dt=range&db=31/02/2026": "db", "dt=range&db=2/1/2026&de=1/1/2026": "db", "dt=range&de=9999999999": "de", "dt=range&db=0000-01-01": "db",
		"fr=-1": "fr", "to=253402300800": "to", "fr=2&to=1": "fr",
	} {
		values, err := url.ParseQuery("q=a&" + queryText)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ReadForm(values)
		var e *query.Error
		if !errors.As(err, &e) || !errors.Is(err, ErrParameter) || e.Field != field {
			t.Errorf("%.60s: %v, want an error about %s", queryText, err, field)
			continue
		}
		if text := e.Error(); len(text) > 150 || !strings.HasSuffix(text, ".") {
			t.Errorf("%.60s: no short sentence: %s", queryText, text)
		}
	}
}

// formZone is a time zone other than UTC, so that tests notice where days begin.
var formZone = time.FixedZone("here", 3*3600)

func TestFormRequest(t *testing.T) {
	now := time.Date(2026, 3, 15, 12, 0, 0, 0, formZone)
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, formZone) }
	last := func(y int, m time.Month, d int) time.Time { return day(y, m, d+1).Add(-time.Second) }
	usual := search.Request{Group: search.MixedSites, PerPage: 20}
	with := func(change func(*search.Request)) search.Request {
		r := usual
		change(&r)
		return r
	}
	for _, c := range []struct {
		query string
		d     Defaults
		want  search.Request
	}{
		{"", Defaults{}, usual},
		{"", Defaults{PerPage: 7, Flat: true, Forms: true, Excerpts: 2, ExcerptLength: 150}, search.Request{Group: search.MixedSites, PerPage: 7, Flat: true, Forms: []string{search.DocumentLanguages}, Excerpts: 2, ExcerptLength: 150}},
		{"&ps=3&ad=on&fm=off", Defaults{PerPage: 7, Flat: true, Forms: true}, search.Request{Group: search.MixedSites, PerPage: 3, NoSynonyms: true}},
		{"&fm=on", Defaults{Languages: []string{"de"}}, with(func(r *search.Request) { r.Forms = []string{"de"} })},
		{"&fm=en", Defaults{Languages: []string{"de"}}, with(func(r *search.Request) { r.Forms = []string{"en"} })},
		{"", Defaults{Languages: []string{"de"}}, usual},
		{"&ad=off&fm=on&gr=off&s=date&explain=1&st=4&sp=2", Defaults{}, search.Request{PerPage: 20, Flat: true, Forms: []string{search.DocumentLanguages}, Order: search.ByDate, Explain: true, SiteIDs: []int32{4}, Spaces: []int32{2}}},
		{"&np=49", Defaults{}, with(func(r *search.Request) { r.Page = 49 })},
		{"&ps=100&np=9", Defaults{}, search.Request{Group: search.MixedSites, PerPage: 100, Page: 9}},
		{"&ul=HTTP%3A%2F%2FWWW.A.Example%3A80%2F&ul=b.example&ul=https%3A%2F%2Fb%C3%BCcher.example%3A8443", Defaults{}, with(func(r *search.Request) {
			r.Sites = []string{"http://www.a.example/", "http://b.example/", "https://xn--bcher-kva.example:8443/"}
		})},
		{"&ul=FILE%3A%2F%2F%2F&ul=file", Defaults{}, with(func(r *search.Request) { r.Sites = []string{"file:///", "file:///"} })},
		{"&ul=http%3A%2F%2Fa%2Fdocs%2F&ul=b/docs/%25&ul=http%3A%2F%2Fc%2F%233&ul=%25%3A%2F%2Fd/%25", Defaults{}, with(func(r *search.Request) {
			r.Subsets = []string{"http://a/docs/%", "http://b/docs/%", "#3", "%://d/%"}
		})},
		{"&dt=back&dp=7d", Defaults{}, with(func(r *search.Request) { r.Dates.From = now.AddDate(0, 0, -7) })},
		{"&dt=back&dp=30M", Defaults{}, with(func(r *search.Request) { r.Dates.From = now.Add(-30 * time.Minute) })},
		{"&dt=back&dp=3600", Defaults{}, with(func(r *search.Request) { r.Dates.From = now.Add(-time.Hour) })},
		{"&dt=back&dp=0", Defaults{}, usual},
		{"&dt=er&dx=1&dd=1&dm=0&dy=2026", Defaults{}, with(func(r *search.Request) { r.Dates.From = day(2026, 1, 1) })},
		{"&dt=er&dx=-1&dd=1&dm=0&dy=2026", Defaults{}, with(func(r *search.Request) { r.Dates.To = last(2026, 1, 1) })},
		{"&dt=range&db=1/2/2026&de=28/2/2026", Defaults{}, with(func(r *search.Request) { r.Dates = search.Dates{From: day(2026, 2, 1), To: last(2026, 2, 28)} })},
		{"&dt=range&de=28/2/2026", Defaults{}, with(func(r *search.Request) { r.Dates.To = last(2026, 2, 28) })},
		{"&dt=back&dp=7d&fr=86400", Defaults{}, with(func(r *search.Request) { r.Dates.From = time.Unix(86400, 0) })},
	} {
		got, err := formOf(t, "q=word"+c.query).Request(c.d, now)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		if diff := cmp.Diff(query.Word{Text: "word"}, got.Query.Root); diff != "" {
			t.Errorf("%s: query (-want +got):\n%s", c.query, diff)
		}
		got.Query, got.Now = nil, time.Time{}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
}

func TestFormRequestRefuses(t *testing.T) {
	for queryText, want := range map[string]struct {
		kind  error
		field string
	}{
		"":                               {query.ErrEmpty, "q"},
		"q=a&np=50":                      {ErrParameter, "np"}, // 1,001st result
		"q=a&np=10&ps=100":               {ErrParameter, "np"},
		"q=a&ul=http://a/&ul=b/c/":       {ErrParameter, "ul"},
		"q=a&ul=http://":                 {ErrParameter, "ul"},
		"q=a&ul=file:///&ul=file:///a/":  {ErrParameter, "ul"},
		"q=a&ul=http://a%20b/":           {ErrParameter, "ul"},
		"q=a&ul=http://a/%23x":           {ErrParameter, "ul"},
		"q=a&ul=http://me:pw@a/":         {ErrParameter, "ul"},
		"q=" + strings.Repeat("a", 2049): {query.ErrTooLong, "q"},
	} {
		_, err := formOf(t, queryText).Request(Defaults{}, time.Now())
		var e *query.Error
		if !errors.As(err, &e) || !errors.Is(err, want.kind) || e.Field != want.field {
			t.Errorf("%.40s: %v, want %v about %s", queryText, err, want.kind, want.field)
		}
	}
}

func TestFormLinks(t *testing.T) {
	f := formOf(t, "q=a&dt=back&dp=7d&np=3&ps=10")
	now := time.Unix(1_800_000_000, 0)
	if got, want := f.Fixed(now).At(4).Encode(), "q=a&dt=back&dp=7d&fr=1799395200&ps=10&np=4"; got != want {
		t.Errorf("next page: %s, want %s", got, want)
	}
	later := now.Add(time.Hour)
	first, err := f.Fixed(now).Request(Defaults{}, now)
	if err != nil {
		t.Fatal(err)
	}
	second, err := formOf(t, f.Fixed(now).Encode()).Request(Defaults{}, later)
	if err != nil || !first.Dates.From.Equal(second.Dates.From) {
		t.Errorf("the limit moved from %v to %v, %v", first.Dates.From, second.Dates.From, err)
	}
	if got, want := f.InSite(7).Encode(), "q=a&st=7&dt=back&dp=7d&gr=off&ps=10"; got != want {
		t.Errorf("more from this site: %s, want %s", got, want)
	}
	for query, want := range map[string]string{"": "", "q=a+b": "a b", "q=a&iq=b": "b", "ln=http://a/": "link:http://a/", "xq=a": ""} {
		if f := formOf(t, query); f.Text() != want || f.Asks() != (query != "") {
			t.Errorf("%s: Text = %q, Asks = %v", query, f.Text(), f.Asks())
		}
	}
}

// FuzzForm: no parameters make the reader panic. Errors have a sentence. A form that is read is written as a
// URL that reads the same, and its request is within the limits.
func FuzzForm(f *testing.F) {
	for _, c := range formCases {
		f.Add(c.query)
	}
	f.Add("np=2147483648&ps=9223372036854775808")
	f.Add("dt=er&dd=31&dm=1&dy=2026&sp1=on&sp=,,&ul=http://a/#1")
	now := time.Date(2026, 3, 29, 1, 30, 0, 0, formZone)
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		form, err := ReadForm(values)
		if err != nil {
			checkParameterError(t, err)
			return
		}
		encoded := form.Encode()
		values, err = url.ParseQuery(encoded)
		if err != nil {
			t.Fatalf("%q: %v", encoded, err)
		}
		again, err := ReadForm(values)
		if err != nil {
			t.Fatalf("%q: %v", encoded, err)
		}
		if diff := cmp.Diff(form, again); diff != "" {
			t.Fatalf("%q (-first +again):\n%s", encoded, diff)
		}
		r, err := form.Request(Defaults{}, now)
		if err != nil {
			checkParameterError(t, err)
			return
		}
		if r.Query == nil || r.Page < 0 || r.PerPage < 1 || r.PerPage > search.MaxPerPage || r.Page*r.PerPage >= search.MaxResults {
			t.Fatalf("%+v", r)
		}
	})
}

func checkParameterError(t *testing.T, err error) {
	t.Helper()
	var e *query.Error
	if !errors.As(err, &e) || e.Field == "" {
		t.Fatalf("%#v", err)
	}
	querytest.CheckSentence(t, e.Error())
}
