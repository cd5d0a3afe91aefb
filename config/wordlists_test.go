package config

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestWordLists(t *testing.T) {
	f := files{
		searchName: "SynonymFile a.txt\nSynonymFile DE b.txt\nKeyMatch \"opening hours\" HTTPS://www.example.org/?q=<b> \"Our <hours>\"\nKeyMatchFile k.txt\nSuggestNever secret \"top <b>\"\nSuggestNeverFile never.txt\nQueryStopwordFile en stop.txt\n",
		"a.txt":    "\uFEFF# cars\r\n\r\ncar , automobile,\"motor car, old\"\ndb, \\\ndbms => database, \"data base\"\n",
		"b.txt":    "Auto, Wagen",
		"k.txt":    "# more\nmenu http://[::1]:8080/menu \"The menu\" Phrase\n",
		"stop.txt": "the of", "never.txt": "# these\n a b \n",
	}
	s := loadSearch(t, f).Search
	for i := range s.Synonyms {
		s.Synonyms[i].File = ""
	}
	for i := range s.KeyMatches {
		s.KeyMatches[i].File = ""
	}
	if diff := cmp.Diff([]SynonymGroup{
		{Line: 3, Texts: []string{"car", "automobile", "motor car, old"}},
		{Line: 4, Texts: []string{"db", "dbms"}, Instead: []string{"database", "data base"}},
		{Line: 1, Lang: "de", Texts: []string{"Auto", "Wagen"}},
	}, s.Synonyms); diff != "" {
		t.Errorf("synonyms (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]KeyMatch{
		{Line: 3, Query: "opening hours", URL: "HTTPS://www.example.org/?q=<b>", Title: "Our <hours>", Kind: KeyExact},
		{Line: 2, Query: "menu", URL: "http://[::1]:8080/menu", Title: "The menu", Kind: KeyPhrase},
	}, s.KeyMatches); diff != "" {
		t.Errorf("key matches (-want +got):\n%s", diff)
	}
	for i := range s.SuggestNever {
		s.SuggestNever[i].File = ""
	}
	if diff := cmp.Diff([]ListedText{{Line: 5, Text: "secret"}, {Line: 5, Text: "top <b>"}, {Line: 2, Text: "a b"}}, s.SuggestNever); diff != "" {
		t.Errorf("never suggested (-want +got):\n%s", diff)
	}
	if len(s.QueryStopwords) != 1 || s.QueryStopwords[0].Lang != "en" || len(s.QueryStopwords[0].Words) != 2 {
		t.Errorf("stop words: %+v", s.QueryStopwords)
	}
}

func TestProblemsOfWordListsNameFileAndLine(t *testing.T) {
	for _, c := range []struct{ line, file, want string }{
		{"SynonymFile a.txt", "car\n", `searchd.conf:1: SynonymFile: a.txt:1: "car" has no synonym: write `},
		{"SynonymFile a.txt", "#\ncar, \n", `searchd.conf:1: SynonymFile: a.txt:2: a word is missing`},
		{"SynonymFile a.txt", "a, \"b\n", `a.txt:1: the closing quote is missing`},
		{"SynonymFile a.txt", "a, \"b\" c\n", `a.txt:1: no comma after "b"`},
		{"SynonymFile a.txt", "a, b\"c\n", `a.txt:1: a quote inside of "b\"c"`},
		{"SynonymFile a.txt", "a => b => c\n", `a.txt:1: a second =>`},
		{"SynonymFile a.txt", "a => b, \\\n", `a.txt:1: the line ends in "\" but no line follows`},
		{"SynonymFile a.txt", "a, \x1b[31m\n", `a.txt:1: control character U+001B`},
		{"SynonymFile a.txt", "a, b\n\xff\n", `a.txt:2: the line is not valid UTF-8`},
		{"SynonymFile a.txt", "a, b\n\n\x00", `a.txt:3: NUL byte`},
		{"SynonymFile a.txt", strings.Repeat("a, ", 30) + "b", `a.txt:1: more than 16 words in a group`},
		{"SynonymFile a.txt b.txt", "a, b", `expected a file, or a two-letter language code and a file`},
		{"SynonymFile b.txt", "", `b.txt: no such file`},
		{"SynonymFile", "", `no value, expected a file`},
		{"QueryStopwordFile a.txt", "a", `1 values, expected a language and a file`},
		{"KeyMatch hours http://a.example/", "", `2 values, expected a query, an address and a title`},
		{"KeyMatch hours javascript:alert(1) Hours", "", `is not an absolute http or https URL`},
		{"KeyMatch hours http://me:secret@a.example/ Hours", "", `user name and password`},
		{"KeyMatch hours http://a.example/ Hours nearly", "", `searchd.conf:1: KeyMatch: "nearly" is not one of`},
		{"KeyMatch \"\" http://a.example/ Hours", "", `an empty value`},
		{"KeyMatchFile a.txt", "\nhours http://a.example/", `searchd.conf:1: KeyMatchFile: a.txt:2: 2 values, expected`},
		{"SuggestNever", "", `no value, expected words or texts`},
		{"SuggestNever \"\"", "", `an empty text`},
		{"SuggestNeverFile a.txt", "x\n" + strings.Repeat("a", 201), `searchd.conf:1: SuggestNeverFile: a.txt:2: "`},
		{"SuggestNeverFile b.txt", "", `b.txt: no such file`},
		{"SuggestMemory much", "", `SuggestMemory: "much" is not a size`},
	} {
		got := strings.Join(searchProblems(t, files{searchName: c.line + "\n", "a.txt": c.file}, nil), "\n")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s, %q: %s; want %s", c.line, c.file, got, c.want)
		}
		if strings.Contains(got, "secret") {
			t.Errorf("%s: the message has the password: %s", c.line, got)
		}
	}
}

func FuzzSynonyms(f *testing.F) {
	for _, line := range []string{`car, automobile, "motor car"`, "db => database", `"a, b" => c`, "=>", ",", `"`, "a=>b=>c", "\u202e, x", "a , b"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		g, err := parseSynonyms(line)
		if err != nil {
			if !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\n\r\x1b") {
				t.Errorf("message %q", err)
			}
			return
		}
		if len(g.Texts) == 0 || len(g.Texts)+len(g.Instead) < 2 || len(g.Texts)+len(g.Instead) > maxGroupTexts {
			t.Errorf("%q: %+v", line, g)
		}
		quoted := func(texts []string) string { return `"` + strings.Join(texts, `","`) + `"` }
		again := quoted(g.Texts)
		if len(g.Instead) > 0 {
			again += "=>" + quoted(g.Instead)
		}
		if h, err := parseSynonyms(again); err != nil || cmp.Diff(g, h) != "" {
			t.Errorf("%q is not read as %q: %v, %v", again, line, h, err)
		}
	})
}

func FuzzKeyMatch(f *testing.F) {
	for _, line := range []string{`"opening hours" https://www.example.org/hours "Hours" exact`, "a b c", `a http://[::1/ c`, `"" http:// ""`, "a http://u:p@h/ t"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args, err := splitValues(line)
		if err != nil {
			return
		}
		k, err := keyMatch(args)
		if err != nil {
			return
		}
		lower := strings.ToLower(k.URL)
		if k.Query == "" || k.Title == "" || !strings.HasPrefix(lower, "http://") && !strings.HasPrefix(lower, "https://") {
			t.Errorf("%q: %+v", line, k)
		}
	})
}
