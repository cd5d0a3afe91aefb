package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query/querytest"
)

// paramsCases has forms with the canonical spellings of their queries.
var paramsCases = []struct {
	name string
	p    Params
	want string
}{
	{"q", Params{Query: "cat OR dog"}, "cat OR dog"},
	{"iq takes the place of q", Params{Query: "cat", Include: "dog -bird"}, "dog -bird"},
	{"a blank iq does not", Params{Query: "cat", Include: " "}, "cat"},
	{"im=p", Params{Include: `full "table) OR -scan`, IncludePhrase: true}, `"full table or scan"`},
	{"im=p without iq", Params{Query: "a b", IncludePhrase: true}, "a b"},
	{"im=p of one word", Params{Include: "cat", IncludePhrase: true}, `"cat"`},
	{"im=p with a gap", Params{Include: "the cat * of hat", IncludePhrase: true}, `"cat * * hat"`},
	{"xq", Params{Query: "cat", Exclude: "dog wi-fi"}, "cat -dog -wi-fi"},
	{"xq with phrases", Params{Query: "cat", Exclude: `a "b c" d`}, `cat -a -"b c" -d`},
	{"xq has no other operators", Params{Query: "cat", Exclude: "a) OR (-b | title:c site:d + link:e AND"}, "cat -a -or -b -title-c -site-d -link-e -and"},
	{"xq with a pattern", Params{Query: "cat", Exclude: "vacuum*"}, "cat -vacuum*"},
	{"xq of stop words", Params{Query: "cat", Exclude: "the"}, "cat"},
	{"xm=p", Params{Query: "cat", Exclude: `a "b c"`, ExcludePhrase: true}, `cat -"a b c"`},
	{"xq to an OR", Params{Query: "a OR b", Exclude: "c"}, "(a OR b) -c"},
	{"xq to an AND", Params{Query: "a b -x", Exclude: "c"}, "a b -x -c"},
	{"is", Params{Query: "cat", IncludeSites: "example.org"}, "cat site:example.org"},
	{"is are ORed", Params{Query: "cat", IncludeSites: "a.org, b.org OR site:c;*.d|http://E.org:8080/x?y"}, "cat (site:a.org OR site:b.org OR site:c OR site:d OR site:e.org:8080)"},
	{"is of files", Params{Query: "cat", IncludeSites: "file:/// file://,file file:///srv/x"}, "cat (site:file:/// OR site:file:/// OR site:file OR site:file:///)"},
	{"xs", Params{Query: "cat", ExcludeSites: "a b"}, "cat -(site:a OR site:b)"},
	{"is and site:", Params{Query: "cat site:x", IncludeSites: "y", ExcludeSites: "z"}, "cat site:x site:y -site:z"},
	{"is to an OR", Params{Query: "a OR b", IncludeSites: "y"}, "(a OR b) site:y"},
	{"r in q", Params{Query: "b c", Previous: "a OR d", Within: true}, "(a OR d) +(b c)"},
	{"r without in", Params{Query: "b", Previous: "a"}, "b"},
	{"r in an empty q", Params{Previous: "a b", Within: true}, "a b"},
	{"r in an exclusion", Params{Query: "-b", Previous: "a", Within: true}, "a -b"},
	{"r in a site", Params{Query: "site:x", Previous: "a (b OR c)", Within: true}, "a (b OR c) site:x"},
	{"r in iq", Params{Query: "b", Include: "c", Previous: "a", Within: true}, "+a +c"},
	{"empty r", Params{Query: "b", Within: true}, "b"},
	{"unbalanced r", Params{Query: `b" OR c`, Previous: `(a "x y`, Within: true}, `(a "x y") (b "or c")`},
	{"tl", Params{Query: "cat body:dog", Title: true}, "title:cat body:dog"},
	{"tl and bd", Params{Query: `a "b c"`, Title: true, Body: true}, `body:title:a body:title:"b c"`},
	{"all", Params{Query: "a", Title: true, Body: true, Desc: true, Keywords: true}, "a"},
	{"all asked for in a query", Params{Query: "a body:desc:keywords:title:b", Title: true}, "title:a b"},
	{"ds and kw for all texts", Params{Include: "a b", IncludePhrase: true, Exclude: "c", Previous: "d", Within: true, Desc: true, Keywords: true}, `desc:keywords:d desc:keywords:"a b" -desc:keywords:c`},
	{"ln", Params{Link: " example.org/a?b "}, "link:http://example.org/a?b"},
	{"ln with blank fields and switches", Params{Query: " ", Link: "http://a/", Exclude: "\t", Within: true, Title: true}, "link:http://a/"},
	{"link: in q", Params{Query: "link:a"}, "link:http://a"},
	{"link: in a phrase is a word", Params{Include: "link:a", IncludePhrase: true}, `"link a"`},
	{"link: in an r that does not count", Params{Query: "a", Previous: "link:b"}, "a"},
}

func TestParams(t *testing.T) {
	o := options(t)
	for _, c := range paramsCases {
		t.Run(c.name, func(t *testing.T) {
			q, err := c.p.Parse(o)
			if err != nil {
				t.Fatalf("%+v: %v", c.p, err)
			}
			if got := q.String(); got != c.want {
				t.Errorf("%+v:\ngot  %s\nwant %s", c.p, got, c.want)
			}
			checkQuery(t, q, o)
		})
	}
}

func TestParamsErrors(t *testing.T) {
	for name, c := range map[string]struct {
		p     Params
		kind  error
		field string
		at    int
	}{
		"nothing":             {Params{}, ErrEmpty, "q", 0},
		"only xq":             {Params{Exclude: "a"}, ErrOnlyExclusions, "q", 0},
		"only xq, stop words": {Params{Exclude: "the"}, ErrEmpty, "q", 0},
		"only is":             {Params{IncludeSites: "a"}, ErrOnlySites, "q", 0},
		"stop words in iq":    {Params{Include: "the", Exclude: "a"}, ErrOnlyStopWords, "iq", 0},
		"short pattern in xq": {Params{Query: "a", Exclude: "b cd*"}, ErrTooShort, "xq", 2},
		"operator in r":       {Params{Query: "a", Previous: "b OR", Within: true}, ErrExtraSymbol, "r", 2},
		"no site in is":       {Params{Query: "a", IncludeSites: "b ("}, ErrExtraSymbol, "is", 2},
		"no site in xs":       {Params{Query: "a", ExcludeSites: "b, c d:e"}, ErrExtraSymbol, "xs", 5},
		"long xq":             {Params{Query: "a", Exclude: strings.Repeat("b", 2049)}, ErrTooLong, "xq", 2048},
		"33 terms in all":     {Params{Query: strings.Repeat("+a ", 16), Exclude: strings.Repeat("b ", 15), IncludeSites: "c", ExcludeSites: "x d"}, ErrTooManyTerms, "xs", 0},
		"ln and q":            {Params{Query: "a", Link: "b"}, ErrLinkNotAlone, "q", 0},
		"ln and xs":           {Params{ExcludeSites: "a", Link: "b"}, ErrLinkNotAlone, "xs", 0},
		"ln of two":           {Params{Link: "a b"}, ErrLinkNotAlone, "ln", 2},
		"link: in r":          {Params{Query: "a", Previous: "link:b", Within: true}, ErrLinkNotAlone, "q", 0},
		"link: in q with xq":  {Params{Query: "link:b", Exclude: "a"}, ErrLinkNotAlone, "xq", 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.p.Parse(options(t))
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, c.kind) {
				t.Fatalf("%v, want %v", err, c.kind)
			}
			if e.Field != c.field || e.At != c.at {
				t.Errorf("at %d of %s, want %d of %s: %v", e.At, e.Field, c.at, c.field, err)
			}
			querytest.CheckSentence(t, e.Error())
		})
	}
}

func TestParamsNotesSayTheirField(t *testing.T) {
	q, err := Params{Query: `a "b`, Exclude: "the c", Previous: "the (d", Within: true}.Parse(options(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range q.Notes {
		got = append(got, n.Field)
	}
	if diff := cmp.Diff([]string{"r", "r", "q", "xq"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzParams: the content of one field never changes the meaning of another. The query of all fields together
// equals the queries of the single fields, joined.
func FuzzParams(f *testing.F) {
	for i, c := range queryCases {
		f.Add(c.text, queryCases[(i+7)%len(queryCases)].text, queryCases[(i+3)%len(queryCases)].text)
	}
	f.Add("a", `b") OR (c`, "x) OR (site:y")
	o := options(f)
	f.Fuzz(func(t *testing.T, q, r, xq string) {
		both, err := Params{Query: q, Previous: r, Within: true, Exclude: xq}.Parse(o)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Field == "" {
				t.Fatalf("%#v", err)
			}
			querytest.CheckSentence(t, e.Error())
			return
		}
		checkQuery(t, both, o)
		one, err1 := Parse(q, o)
		two, err2 := Parse(r, o)
		excluded, err3 := Params{Query: "needle", Exclude: xq}.Parse(o)
		if err1 != nil || err2 != nil || err3 != nil || both.Link != "" || excluded.Link != "" {
			return // a text that is no query alone, such as one of exclusions
		}
		if alone(value{not: []Node{one.Root}}).node != nil && strings.HasPrefix(strings.TrimSpace(q), "-") ||
			alone(value{not: []Node{two.Root}}).node != nil && strings.HasPrefix(strings.TrimSpace(r), "-") {
			return // -header is a word only where it is the whole query
		}
		want := And{Terms: []Term{{Node: two.Root, Must: free(two.Root)}, {Node: one.Root, Must: free(one.Root)}}}
		if x, ok := excluded.Root.(And); ok {
			want.Not = x.Not
		}
		if diff := cmp.Diff(Node(want), both.Root); diff != "" {
			t.Errorf("%q, %q, %q (-want +got):\n%s", q, r, xq, diff)
		}
	})
}
