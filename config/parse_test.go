package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSR56Grammar(t *testing.T) {
	type line struct {
		Line    int
		Keyword string
		Args    []string
	}
	for _, c := range []struct {
		name, text string
		want       []line
		wantErr    string
	}{
		{name: "empty"},
		{name: "blank lines and comments", text: "\n  \t\n# x\n#Keyword x\n"},
		{name: "keyword alone", text: "Clones", want: []line{{1, "Clones", nil}}},
		{name: "blanks and tabs", text: " \tAllow\t a  b \t\n", want: []line{{1, "Allow", []string{"a", "b"}}}},
		{name: "a # inside a line is a character", text: "Allow a#b #c", want: []line{{1, "Allow", []string{"a#b", "#c"}}}},
		{name: "quotes", text: `Allow "a b" c "" "d"`, want: []line{{1, "Allow", []string{"a b", "c", "", "d"}}}},
		{name: "quote in quotes", text: `Allow "a\"b"`, want: []line{{1, "Allow", []string{`a"b`}}}},
		{name: "backslashes in quotes stay", text: `Allow "\.pdf\\" \.x`, want: []line{{1, "Allow", []string{`\.pdf\\`, `\.x`}}}},
		{name: "quote within a bare value", text: `Allow a"b c"`, want: []line{{1, "Allow", []string{`a"b`, `c"`}}}},
		{name: "continuation", text: "Allow a \\\n  b\\\nc\nTag 1", want: []line{{1, "Allow", []string{"a", "bc"}}, {4, "Tag", []string{"1"}}}},
		{name: "continuation with CRLF", text: "Allow a \\\r\n b\r\nTag 1\r\n", want: []line{{1, "Allow", []string{"a", "b"}}, {3, "Tag", []string{"1"}}}},
		{name: "a continued # is no comment", text: "Allow a \\\n#b", want: []line{{1, "Allow", []string{"a", "#b"}}}},
		{name: "a comment is not continued", text: "# C:\\\nTag 1", want: []line{{2, "Tag", []string{"1"}}}},
		{name: "continued by an empty line", text: "Tag 1\\\n\nTag 2", want: []line{{1, "Tag", []string{"1"}}, {3, "Tag", []string{"2"}}}},
		{name: "nothing follows", text: "Tag 1\nTag 2\\", want: []line{{1, "Tag", []string{"1"}}}, wantErr: `f:2: the line ends in "\" but no line follows`},
		{name: "nothing follows the last line's end", text: "Tag 1 \\\n", wantErr: `f:1: the line ends in "\" but no line follows`},
		{name: "open quote", text: "Tag 1\nAllow \"a\nTag 2", want: []line{{1, "Tag", []string{"1"}}, {3, "Tag", []string{"2"}}}, wantErr: "f:2: Allow: the closing quote is missing"},
		{name: "text after a quote", text: `Allow "a"b`, wantErr: "f:1: Allow: no space between a closing quote and the next text"},
		{name: "Include without a name", text: "include", wantErr: "f:1: Include: a value is missing"},
		{name: "Include of two", text: "include a b", wantErr: "f:1: Include: 2 values, expected one (put a value with spaces in double quotes)"},
		{name: "Include of nothing", text: `include ""`, wantErr: "f:1: Include: the file's name is empty"},
		{name: "BOM only at the start", text: "Tag 1\n\uFEFFTag 2", want: []line{{1, "Tag", []string{"1"}}, {2, "\uFEFFTag", []string{"2"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			directives, errs := parseBytes("f", []byte(c.text), nil)
			var got []line
			for _, d := range directives {
				got = append(got, line{d.line, d.keyword, d.args})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if errs.Error() != c.wantErr {
				t.Errorf("errors = %q, want %q", errs.Error(), c.wantErr)
			}
		})
	}
}

func TestKeywordsAndYesNoIgnoreCase(t *testing.T) {
	c := load(t, files{setsName: "INDEX No\nfollow NO\nsErVeR https://a.example/", spiderName: "CLONES nO\nlinktags A IMG\nrobotspolicy RFC9309"})
	if s := c.Sets.Servers[0]; s.Index || s.Follow || c.Spider.Clones {
		t.Errorf("Index %v, Follow %v, Clones %v; want no", s.Index, s.Follow, c.Spider.Clones)
	}
	if diff := cmp.Diff([]string{"a", "img"}, c.Spider.LinkTags); diff != "" {
		t.Errorf("LinkTags (-want +got):\n%s", diff)
	}
}

func TestIncludeIsRelativeToItsFileAndKeepsTheOrder(t *testing.T) {
	c := load(t, files{
		setsName:        "Tag 1\nInclude sub/a.cnf\nServer https://d.example/",
		"sub/a.cnf":     "Server https://a.example/\nInclude b.cnf\nServer https://c.example/\nTag 3",
		"sub/b.cnf":     "Tag 2\nServer https://b.example/\n",
		spiderName:      "Include sub/s.cnf\n",
		"sub/s.cnf":     "StopwordFile en words.txt\nThreads 2",
		"sub/words.txt": "\uFEFF# common\r\nthe  a\r\nof\r\na\r\n",
	})
	var got []string
	for _, s := range c.Sets.Servers {
		got = append(got, fmt.Sprintf("%s %s:%d tag %d", s.URL, filepath.Base(s.File), s.Line, s.Tag))
	}
	want := []string{
		"https://a.example/ a.cnf:1 tag 1", "https://b.example/ b.cnf:2 tag 2",
		"https://c.example/ a.cnf:3 tag 2", "https://d.example/ sets.cnf:3 tag 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if len(c.Spider.Stopwords) != 1 || c.Spider.Threads != 2 {
		t.Fatalf("spider = %+v", c.Spider)
	}
	s := c.Spider.Stopwords[0]
	s.Path = filepath.Base(s.Path)
	if diff := cmp.Diff(StopwordFile{Lang: "en", Path: "words.txt", Words: []string{"a", "of", "the"}}, s); diff != "" {
		t.Errorf("stop words (-want +got):\n%s", diff)
	}
}

func TestIncludeDepthAndCycles(t *testing.T) {
	// chain creates n files that each include the next.
	chain := func(n int) files {
		f := files{setsName: "Include 1\n"}
		for i := 1; i < n; i++ {
			f[fmt.Sprint(i)] = fmt.Sprintf("Include %d\n", i+1)
		}
		f[fmt.Sprint(n)] = "Tag 7\n"
		return f
	}
	if tag := load(t, chain(5)).Sets.Outside.Tag; tag != 7 {
		t.Errorf("5 deep: tag = %d, want 7", tag)
	}
	for _, c := range []struct {
		name   string
		files  files
		prefix string
		suffix string
	}{
		{"6 deep", chain(6), "5:1: Include: ", "included files are nested more than 5 deep"},
		{"itself", files{setsName: "Include sets.cnf"}, "sets.cnf:1: Include: ", `sets.cnf includes itself`},
		{"a cycle", files{setsName: "Include a", "a": "\nInclude b", "b": "Include ./a"}, "b:1: Include: ", `a includes itself`},
		{"a cycle in spider.cnf", files{spiderName: "Include a", "a": "Include spider.cnf"}, "a:1: Include: ", `spider.cnf includes itself`},
		{"a directory", files{setsName: "Include .", "x": ""}, "sets.cnf:1: Include: ", "not a regular file"},
		{
			"a thousandfold",
			files{setsName: strings.Repeat("Include a\n", 10), "a": strings.Repeat("Include b\n", 200), "b": ""},
			"a:196: Include: ", "more than 1000 files are included",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := problems(t, c.files, nil)[0]
			if !strings.HasPrefix(got, c.prefix) || !strings.HasSuffix(got, c.suffix) {
				t.Errorf("problem = %q, want %q ... %q", got, c.prefix, c.suffix)
			}
		})
	}
}

// The same file twice is no cycle.
func TestIncludeTwice(t *testing.T) {
	if n := len(load(t, files{setsName: "Include a\nInclude a\n", "a": "Server https://a.example/\n"}).Sets.Servers); n != 2 {
		t.Errorf("%d servers, want 2", n)
	}
}

// FuzzParse: no input panics, in either file; every problem names its file and, unless the file as a whole is bad, its
// line, and fits one terminal line.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "\uFEFF# c\r\nServer https://a.example/ \\\r\n", "Allow \"a\\\"b\" (c)\nTag -1\x00", "Period 1m-10d\nHostLoad * 0 24 4",
		"Include x\nInclude \"\"\n\\\n\\", "Threads 10\nStopwordFile en /dev/null\nAllowNetwork 10.0.0.0/8 ::1", "DBAddr postgres://u:p@h/d",
		"Server http://[::1]:80/\nServer http://u:p@h:0\nAuthBasic a:b", "MergeMemory 9999999999GB\nMaxLostShare 30%\nx\xff\n\x1b",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Contains(strings.ToLower(string(b)), "file") || strings.Contains(strings.ToLower(string(b)), "include") {
			t.Skip("would read other files") // their names are not the fuzzer's to choose
		}
		lines, errs := parseBytes("f", b, nil)
		readSets(lines, &errs)
		codec := cnfCodec[Spider]{home: spiderName, keys: spiderKeys, path: "f", errs: &errs}
		into := map[string]any{}
		if err := codec.Decode(b, into); err != nil {
			t.Fatalf("Decode: %v", err)
		}
		for _, e := range errs {
			if e.File != "f" || e.Line < 1 || e.Line > 1+strings.Count(string(b), "\n") || e.Reason == "" {
				t.Errorf("problem without place: %#v", e)
			}
			if s := e.Error(); len(s) > 2000 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7F }) {
				t.Errorf("message is not one readable line: %q", s)
			}
		}
	})
}

// FuzzSplitValues: quoted values are read back unchanged.
func FuzzSplitValues(f *testing.F) {
	f.Add("a b", `\`, `"`)
	f.Add("", `\\"`, "\t")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var line strings.Builder
		want := []string{a, b, c}
		for _, v := range want {
			if strings.Contains(v, `\`) {
				t.Skip("a backslash stands for itself, so a value that ends in one cannot be quoted")
			}
			line.WriteString(` "` + strings.ReplaceAll(v, `"`, `\"`) + `"`)
		}
		got, err := splitValues(line.String())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
