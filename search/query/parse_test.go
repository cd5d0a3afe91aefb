package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query/querytest"
)

// options returns the options of all tests here: "the", "of" and "t" are stop words, and so is a Thai pair.
func options(tb testing.TB) Options {
	tb.Helper()
	rules, err := document.NewRules(document.Rules{Stopwords: map[string]string{"the": "en", "of": "en", "t": "", "ท่": ""}})
	if err != nil {
		tb.Fatal(err)
	}
	return Options{Stored: rules.Stored}
}

// queryCases has queries with their canonical spellings. A spelling determines the tree
// (TestStringParsesToTheSameTree); TestTrees compares the trees themselves.
var queryCases = []struct{ name, text, want string }{
	// Words.
	{"a blank is no operator", "cat dog", "cat dog"},
	{"lower case", "Cat DOG Éa", "cat dog éa"},
	{"AND", "cat AND dog bird", "+cat +dog bird"},
	{"AND of what is a condition anyway", `"a b" AND title:c AND (d OR e) AND x-y`, `"a b" title:c (d OR e) +x-y`},
	{"plus before a word", "cat + dog +bird a+b", "cat dog +bird a b"},
	{"and in small letters is a word", "cat and dog or And", "cat and dog or and"},
	{"plus needs nothing", "+C++ +", "c"},
	{"words of several tokens are phrases", "pg_stat_activity wi-fi isn'x l’été www.example.org a/b", "pg_stat_activity wi-fi isn-x l-été www_example_org a-b"},
	{"runs of other scripts end a word of a unit", "2003年 日本ABC", "2003-年 日本-abc"},
	{"pairs are written as the run", "日本語 ไทย หิน", "日本語 ไทย หิน"},
	{"a pair alone is a word", "日本 日", "日本 日"},
	{"a pair that begins with a mark goes with its letter", "cat ท่า", "cat"},
	{"all else separates", "cat,dog;bird <b>{x}[y]!§", "cat dog bird b x y"},
	{"LIKE's characters are none (B38)", `100% a_b c\d %`, "100 a-b c-d"},
	{"dollar separates", "$PATH us$", "path us"},
	{"invisible characters are passed over", "co\u00adop zero\u200dwidth", "coop zerowidth"},
	{"control characters and bad UTF-8 separate", "a\x00b\x1b[0m\xffc \xc3", "a b 0m c"},
	{"a word of 33 characters is in no index", strings.Repeat("x", 33) + " cat", "cat"},

	// OR.
	{"OR", "cat OR dog", "cat OR dog"},
	{"bar is OR", "cat | dog|bird", "cat OR dog OR bird"},
	{"AND binds closer", "a b OR c d", "(a b) OR (c d)"},
	{"nested ORs are one", "(a OR b) OR (c OR d)", "a OR b OR c OR d"},
	{"Or is a word", "cat Or dog", "cat or dog"},
	{"OR inside a unit is a word", "cat OR-x xOR", "cat or-x xor"},
	{"OR beside quotation marks", `"a"OR"b"`, `"a" OR "b"`},

	// Exclusion.
	{"exclusion", "cat -dog", "cat -dog"},
	{"a blank behind the minus separates", "cat - dog", "cat dog"},
	{"no separator before the minus", "wi-fi (a)-b \"a\"-b", `wi-fi a b "a" b`},
	{"excluded phrase and group", `cat -"a b" -(c d) -(e OR f) -(g)`, `cat -"a b" -(c d) -(e OR f) -g`},
	{"excluded section", "cat -title:dog", "cat -title:dog"},
	{"AND before the minus", "cat AND -dog + -bird +-x", "cat -dog -bird -x"},
	{"exclusion at the beginning", "-a b", "b -a"},
	{"exclusion behind a comma and a parenthesis", "cat,-dog (-bird fish)", "cat (fish -bird) -dog"},
	{"two minus signs exclude nothing", "--help a --b a---b", "help a b a-b"},
	{"exclusion of a word of several", "cat -wi-fi", "cat -wi-fi"},
	{"exclusions in parentheses belong to what is around", "a (-b) ((-c))", "a -b -c"},
	{"exclusion in one alternative", "a -b OR c", "(a -b) OR c"},
	{"excluded stop word", "cat -the", "cat"},
	{"minus before a sign", "cat -_x -%", "cat x"},

	// Phrases.
	{"phrase", `"Full Table scan"`, `"full table scan"`},
	{"phrase of one word", `"cat"`, `"cat"`},
	{"gap", `"a * b * * c"`, `"a * b * * c"`},
	{"gaps at the ends are none", `"* a b *"`, `"a b"`},
	{"a run of wildcards is one place", `"a ** b ?? c *? d"`, `"a * b * c * d"`},
	{"operators are none in a phrase", `"a -b +c | d AND e OR f title:g site:h"`, `"a b c d and e or f title g site h"`},
	{"stop words keep their place", `"the state of the art"`, `"state * * art"`},
	{"units in a phrase", `"wi-fi in pg_class"`, `"wi fi in pg class"`},
	{"a pattern in a phrase", `"full vacuum*"`, `"full vacuum*"`},
	{"choice", `"full (table OR scan)"`, `"full (table OR scan)"`},
	{"choice of several words", `"a (b c|d OR e * f) g"`, `"a (b c OR d OR e * f) g"`},
	{"parentheses without choice", `"a (b c) (d) ()"`, `"a b c d"`},
	{"nested choice", `"a ((b OR c) OR d) ((e OR f) g OR h)"`, `"a (b OR c OR d) ((e OR f) g OR h)"`},
	{"minus and prefix in a choice", `"a (-b OR title:c)"`, `"a (b OR title c)"`},
	{"AND in a choice is nothing", `"a (b AND c OR d)"`, `"a (b c OR d)"`},
	{"a stop word may stand in a choice", `"in (the OR this) house"`, `"in (* OR this) house"`},
	{"a choice of stop words only is a gap", `"a (the of OR t) b"`, `"a * * b"`},
	{"a phrase needs a word", `"(the OR big) (of OR small house)"`, `"big small house"`},
	{"empty alternatives", `"a (|b) (OR c)"`, `"a b c"`},
	{"empty phrase", `cat "" " "`, "cat"},
	{"typographic quotation marks", "“a b” „c d“", `"a b" "c d"`},
	{"quotation mark behind a word", `a"b c"d`, `a "b c" d`},

	// Missing and extra signs (B38).
	{"unclosed quotation mark", `cat "a b`, `cat "a b"`},
	{"unclosed quotation mark takes all", `(cat "a) OR b`, `cat "a or b"`},
	{"unclosed parenthesis", "cat (a OR b", "cat (a OR b)"},
	{"extra parenthesis", "cat) dog)) (a OR b))", "cat dog (a OR b)"},
	{"unclosed parenthesis in a phrase", `"a (b OR c" d`, `"a (b OR c)" d`},
	{"extra parenthesis in a phrase", `("a) b" OR c)`, `"a b" OR c`},
	{"empty parentheses", "now() cat (())", "now cat"},

	// Places.
	{"stop words keep a place", "the state of the art", "state * * art"},
	{"lone star keeps a place", "select * from", "select * from"},
	{"stop words of a group", "a (the) b", "a * b"},
	{"stop words of a unit", "don't-x a-the b the-c", "don-*-x a * b * c"},
	{"stop words of a phrase", `a "the of" b "the c"`, `a * * b * "c"`},
	{"OR of stop words", "a (the OR of) b", "a * b"},
	{"stop words are left out of an OR", "the OR cat OR of", "cat"},
	{"an alternative of stop words and an exclusion", "(the -b) OR c", "c"},

	// Wildcards.
	{"star", "vacuum* vacuum*x", "vacuum* vacuum*x"},
	{"question mark inside of a word", "vacuum??s", "vacuum??s"},
	{"question mark at the end", `what is vacuum? vacuum?? "is it?"`, `what is vacuum vacuum "is it"`},
	{"nothing but an option", "-header", "header"},
	{"wildcards in order", "vacuum*?*? vacuum***", "vacuum??* vacuum*"},
	{"pattern in a unit", "pg_vacuum*_x", "pg-vacuum*-x"},
	{"wildcard that touches no word", "pg_* pg-*-x *-a", "pg * pg-*-x * a"},
	{"pattern folds", "VACUUMÉ*Ж", "vacuumé*ж"},
	{"capital sigma before a wildcard", "ΑΝΑΓΝΩΣ* ΑΝΑΓΝΩΣ", "αναγνωσ* αναγνως"},
	{"star at a run of pairs", "日本語* *タワー ไทย*", "日本語 タワー ไทย"},
	{"addresses have no wildcards", "http://h/x?a=b*c", "http-h-x-a-b-c"},
	{"stop words in patterns are none", "the theater*", "theater*"},

	// Sections.
	{"prefixes", "title:a body:b desc:c keywords:d", "title:a body:b desc:c keywords:d"},
	{"combined", "title:body:a body:title:a", "body:title:a body:title:a"},
	{"all are none", "title:body:desc:keywords:a", "a"},
	{"of a group", "title:(a OR b c)", "title:a OR (title:b title:c)"},
	{"of a phrase", `title:"a b" title:wi-fi`, `title:"a b" title:wi-fi`},
	{"of a pattern", "title:vacuum*", "title:vacuum*"},
	{"of exclusions inside", "title:(a -b)", "title:a -title:b"},
	{"the nearest decides", "title:(a body:b desc:(c) body:desc:keywords:title:d)", "title:a body:b desc:c d"},
	{"with a blank", "title: a", "title:a"},
	{"other case is a word", "Title:a TITLE:b", "title-a title-b"},
	{"inside a unit it is a word", "sub-title:a", "sub-title-a"},
	{"minus behind a prefix", "title:-a", "title:a"},
	{"prefix and site", "cat title:site:x", "cat site:x"},

	// Sites.
	{"site", "cat site:www.Example.org", "cat site:www.example.org"},
	{"several", "cat site:a site:b", "cat site:a site:b"},
	{"excluded", "cat -site:a -(site:b OR site:c)", "cat -site:a -(site:b OR site:c)"},
	{"alternatives", "cat (site:a OR site: b|site:c)", "cat (site:a OR site:b OR site:c)"},
	{"alternatives first", "(site:a OR site:b) cat", "cat (site:a OR site:b)"},
	{"group of sites", "cat (site:a -site:b)", "cat site:a -site:b"},
	{"twice excluded", "cat -(-site:a)", "cat site:a"},
	{"in one alternative", "(cat site:a) OR dog", "(cat site:a) OR dog"},
	{"dots and dashes", "cat site:.my-site..org. dog", "cat dog site:my-site.org"},
	{"leading wildcard", "cat site:*.example.org", "cat site:example.org"},
	{"files", "cat site:FILE:/// -site:file:// (site:file OR site:a)", "cat site:file:/// -site:file:/// (site:file OR site:a)"},
	{"port and underscore", "cat site:a_b.1:18080 site:a:b", `cat b site:a_b.1:18080 site:a`},
	{"slash at the end", "(cat site:example.org/) site:b/ dog", "(cat site:example.org) dog site:b"},
	{"international", "cat site:Bücher.example", "cat site:xn--bcher-kva.example"},
	{"other case is a word", "cat Site:a", "cat site-a"},
	{"question marks behind words of a unit", "cat?-dog abc?#* \"abc?-dog\"", `cat-dog abc * "abc dog"`},
	{"language, type and address", "cat lang:DE-at filetype:.HTM inurl:/Docs/ intitle:dog -lang:fr", "cat title:dog lang:de filetype:html inurl:/docs/ -lang:fr"},
	{"several of one kind", "cat (lang:de OR lang:fr) -(filetype:txt | filetype:pdf)", "cat (lang:de OR lang:fr) -(filetype:text OR filetype:pdf)"},
	{"address with letters beyond ASCII", "inurl:über cat", "cat inurl:%c3%bcber"},
	{"twice excluded filter", "cat -(-lang:de) (lang:fr)", "cat lang:de lang:fr"},
	{"filter in one alternative", "(cat lang:de) OR dog", "(cat lang:de) OR dog"},
	{"words and no filters", "lang: de filetype : pdf", "lang de filetype pdf"},
	{"in front of a phrase", `site:a"b c"`, `"b c" site:a`},

	// link:
	{"link", "link:http://example.org/a?b=c&d=%20#x", "link:http://example.org/a?b=c&d=%20#x"},
	{"scheme is assumed", "  link:example.org ", "link:http://example.org"},
	{"blank before the address", "link: example.org", "link:http://example.org"},
	{"other case is a word", "Link:a", "link-a"},
	{"elsewhere it is a word", "cat link:a hard link: b", "cat link-a hard link b"},
}

func TestParse(t *testing.T) {
	o := options(t)
	for _, c := range queryCases {
		t.Run(c.name, func(t *testing.T) {
			q, err := Parse(c.text, o)
			if err != nil {
				t.Fatalf("%q: %v", c.text, err)
			}
			if got := q.String(); got != c.want {
				t.Errorf("%q:\ngot  %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func TestTrees(t *testing.T) {
	word := func(s string) Word { return Word{Text: s} }
	steps := func(words ...string) (out []PhraseStep) {
		for _, w := range words {
			out = append(out, PhraseStep{Item: word(w)})
		}
		return out
	}
	for text, want := range map[string]Node{
		"cat":                word("cat"),
		`"cat"`:              Phrase{Steps: steps("cat")},
		"wi-fi":              Phrase{Steps: steps("wi", "fi"), Unit: true},
		"日本語":                Phrase{Steps: steps("日本", "本語"), Unit: true},
		"don't":              word("don"),
		"title:body:vacuum*": Pattern{Text: "vacuum*", Sections: Body | Title},
		"a of b -c site:x": And{
			Terms: []Term{{Node: word("a")}, {Skip: 1, Node: word("b")}},
			Not:   []Node{word("c")},
			Sites: []SiteFilter{{Any: []Site{"x"}}},
		},
		"a (b c)":   And{Terms: []Term{{Node: word("a")}, {Node: And{Terms: []Term{{Node: word("b")}, {Node: word("c")}}}}}},
		"(a b) -c":  And{Terms: []Term{{Node: word("a")}, {Node: word("b")}}, Not: []Node{word("c")}},
		"((a) | b)": Or{Any: []Node{word("a"), word("b")}},
		`title:"a of (b c OR the) d"`: Phrase{Sections: Title, Steps: []PhraseStep{
			{Item: Word{"a", Title}},
			{Skip: 1, Item: Choice{Any: []Sequence{
				{Steps: []PhraseStep{{Item: Word{"b", Title}}, {Item: Word{"c", Title}}}},
				{Tail: 1},
			}}},
			{Item: Word{"d", Title}},
		}},
		`"a (b the OR * c) d"`: Phrase{Steps: []PhraseStep{
			{Item: word("a")},
			{Item: Choice{Any: []Sequence{
				{Steps: steps("b"), Tail: 1},
				{Steps: []PhraseStep{{Skip: 1, Item: word("c")}}},
			}}},
			{Item: word("d")},
		}},
	} {
		q, err := Parse(text, options(t))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, q.Root); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// errorCases has the kind and the offset of errors.
var errorCases = []struct {
	name, text string
	kind       error
	at         int
}{
	{"nothing", "", ErrEmpty, 0},
	{"blanks and signs", " .,!% ", ErrEmpty, 6},
	{"only NUL", "\x00\x00", ErrEmpty, 2},
	{"empty phrase", `""`, ErrEmpty, 0},
	{"lone star", "*", ErrEmpty, 0},
	{"only stop words", " the of", ErrOnlyStopWords, 1},
	{"only stop words in a phrase", `"the of"`, ErrOnlyStopWords, 0},
	{"only stop words in an OR", "the OR (of)", ErrOnlyStopWords, 0},
	{"only words that are too long", strings.Repeat("y", 40), ErrOnlyStopWords, 0},
	{"stop words and an exclusion", "the -cat", ErrOnlyStopWords, 0},
	{"stop words and a site", "the site:x", ErrOnlyStopWords, 0},
	{"excluded stop word", "-the", ErrEmpty, 0},
	{"only exclusions", "-cat -dog", ErrOnlyExclusions, 0},
	{"alternative of exclusions", "cat OR -dog", ErrOnlyExclusions, 7},
	{"excluded exclusion", "cat -(-dog)", ErrOnlyExclusions, 5},
	{"excluded sites that must all fit", "cat -(site:a site:b)", ErrOnlyExclusions, 5},
	{"exclusions and sites", "-cat site:x", ErrOnlyExclusions, 0},
	{"only sites", "site:a -site:b", ErrOnlySites, 0},
	{"only sites in an OR", " (site:a OR site:b)", ErrOnlySites, 1},
	{"alternative of a site", "cat site:a OR site:b", ErrOnlySites, 14},
	{"short pattern of one syllable", "cat 서*", ErrTooShort, 4},
	{"short pattern", "cat ab*", ErrTooShort, 4},
	{"short pattern with question mark", "wh?t", ErrTooShort, 0},
	{"pattern that begins with a wildcard", "*abcdefgh", ErrTooShort, 0},
	{"short pattern in a phrase", `"é a*"`, ErrTooShort, 4},
	{"short pattern in a unit", "pg_stat_ac*", ErrTooShort, 8},
	{"characters, not bytes, count", "ее*", ErrTooShort, 0},
	{"question mark at a pair", "日本?x", ErrTooShort, 0},
	{"star between pairs", "日本*語", ErrTooShort, 0},
	{"star at a single character", "日*", ErrTooShort, 0},
	{"star between scripts", "abcdef*日本", ErrTooShort, 0},
	{"OR at the end", "cat OR", ErrExtraSymbol, 4},
	{"OR at the beginning", "OR cat", ErrExtraSymbol, 0},
	{"OR twice", "cat OR OR dog", ErrExtraSymbol, 7},
	{"bar twice", "cat || dog", ErrExtraSymbol, 5},
	{"OR before a parenthesis that closes", "(cat OR ) dog", ErrExtraSymbol, 5},
	{"OR before an extra parenthesis", "cat OR )", ErrExtraSymbol, 4},
	{"AND at the end", "cat AND", ErrExtraSymbol, 4},
	{"AND at the beginning", "AND cat", ErrExtraSymbol, 0},
	{"AND before OR", "cat AND OR dog", ErrExtraSymbol, 4},
	{"AND after OR", "cat OR AND dog", ErrExtraSymbol, 7},
	{"prefix at the end", "cat title:", ErrExtraSymbol, 4},
	{"prefix before an operator", "title: OR cat", ErrExtraSymbol, 0},
	{"prefix in parentheses", "(body:title:) a", ErrExtraSymbol, 1},
	{"prefix before a minus", "title: -a", ErrExtraSymbol, 0},
	{"language without a code", "cat lang:(de)", ErrExtraSymbol, 4},
	{"name of a language", "cat lang:german", ErrExtraSymbol, 4},
	{"type of nothing", "cat filetype:.", ErrExtraSymbol, 4},
	{"address without a text", `cat inurl:"a"`, ErrExtraSymbol, 4},
	{"only a language", "lang:de", ErrOnlySites, 0},
	{"alternative of a language", "cat OR lang:de", ErrOnlySites, 7},
	{"filters of two kinds", "cat (lang:de OR filetype:pdf)", ErrOnlySites, 5},
	{"excluded filters that must all fit", "cat -(lang:de inurl:x)", ErrOnlyExclusions, 5},
	{"site without a name", "cat site: ", ErrExtraSymbol, 4},
	{"site before a parenthesis", "cat site:(a)", ErrExtraSymbol, 4},
	{"site of dots", "cat site:..", ErrExtraSymbol, 4},
	{"site with a path", "cat site:example.org/docs", ErrExtraSymbol, 4},
	{"site with a home page", "cat site:example.org/~x", ErrExtraSymbol, 4},
	{"site with a scheme", "cat site:http://example.org", ErrExtraSymbol, 4},
	{"link without an address", " link: ", ErrExtraSymbol, 1},
	{"link with a word", "link:a link:a", ErrLinkNotAlone, 7},
	{"2,049 bytes", strings.Repeat("a ", 1024) + "b", ErrTooLong, 2048},
	{"a megabyte", strings.Repeat("a", 1<<20), ErrTooLong, 2048},
	{"33 words, all conditions", strings.Repeat("+a ", 32) + "+b", ErrTooManyTerms, 97},
	{"33 words in a phrase", `"` + strings.Repeat("a ", 32) + `b"`, ErrTooManyTerms, 65},
	{"33 pairs, all conditions", "+b +" + strings.Repeat("日", 34), ErrTooManyTerms, 97},
	{"33 terms of all kinds", strings.Repeat("site:x -vacuum* ", 16) + "site:x", ErrTooManyTerms, 256},
	{"17 parentheses", strings.Repeat("(", 17) + "a", ErrTooDeep, 16},
	{"17 parentheses in a phrase", `((("` + strings.Repeat("(", 14) + "a", ErrTooDeep, 17},
}

func TestParseErrors(t *testing.T) {
	for _, c := range errorCases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(c.text, options(t))
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, c.kind) {
				t.Fatalf("%q: %v, want %v", c.text, err, c.kind)
			}
			if e.At != c.at || e.Field != "" {
				t.Errorf("%q: at %d of %q, want %d", c.text, e.At, e.Field, c.at)
			}
			querytest.CheckSentence(t, e.Error())
		})
	}
}

// TestLimits: queries at the limits are allowed (B38).
func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"2,048 bytes":          strings.Repeat("a", 32) + strings.Repeat(" ", 2016),
		"32 words":             strings.Repeat("a ", 32),
		"stop words are free":  strings.Repeat("a the ", 32),
		"32 pairs":             strings.Repeat("日", 33),
		"16 parentheses":       strings.Repeat("(", 16) + "a",
		"parentheses in a row": strings.Repeat("(a) ", 32),
		"500 parentheses":      "a" + strings.Repeat("()", 500),
	} {
		if _, err := Parse(text, options(t)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMinFixedPatternLength(t *testing.T) {
	for min, texts := range map[int][2]string{1: {"a*", "*"}, 3: {"abc*", "ab*"}, 0: {"abc*", "ab*"}, 20: {strings.Repeat("a", 20) + "?", "abcdef*"}} {
		o := Options{MinFixedPatternLength: min}
		if _, err := Parse(texts[0], o); err != nil {
			t.Errorf("%d: %v", min, err)
		}
		if _, err := Parse("x "+texts[1]+"b", o); !errors.Is(err, ErrTooShort) {
			t.Errorf("%d: %q: %v", min, texts[1], err)
		}
	}
}

func TestNotes(t *testing.T) {
	type note struct {
		Kind NoteKind
		At   int
	}
	for text, want := range map[string][]note{
		"cat dog":                           nil,
		`é "a b`:                            {{UnclosedQuote, 3}},
		"(a (b":                             {{UnclosedParenthesis, 3}},
		"a) b) c":                           {{ExtraParenthesis, 1}},
		`"a ( b" (c`:                        {{UnclosedParenthesis, 3}},
		`a "b) c"`:                          {{ExtraParenthesis, 4}},
		"the cat of the hat":                {{LeftOut, 0}, {LeftOut, 8}},
		"日本* x":                             {{NeedlessWildcard, 0}},
		"a link:b":                          {{LinkInside, 2}},
		strings.Repeat("z", 40) + " a\x00b": {{LeftOut, 0}},
	} {
		q, err := Parse(text, options(t))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var got []note
		for _, n := range q.Notes {
			got = append(got, note{n.Kind, n.At})
			querytest.CheckSentence(t, n.String())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"cat ac*":  "“ac*” at byte 5 has 2 characters before its first * or ?, at least 3 are needed. Write more of the word, or remove the wildcard.",
		"cat OR":   "“OR” at byte 5 needs something to search for on both sides. To search for the word, write “or”.",
		"-cat -a":  "The part from byte 1 on has only exclusions. Add a word to search for.",
		"a title:": "“title:” at byte 3 needs a word after it.",
	} {
		if _, err := Parse(text, Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
