package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConverterLines reads commands with quotes and backslashes.
func TestConverterLines(t *testing.T) {
	for line, want := range map[string][]string{
		`Converter application/pdf text/plain pdftotext -enc UTF-8 $in -`:            {"pdftotext", "-enc", "UTF-8", "$in", "-"},
		`Converter application/pdf text/plain "sleep 1000"`:                          {"sleep", "1000"},
		"Converter  application/pdf\t text/plain  cat":                               {"cat"},
		`Converter Application/PDF text/plain sh -c 'cat "$0" | sed s/a/b/' $in`:     {"sh", "-c", `cat "$0" | sed s/a/b/`, "$in"},
		`Converter application/pdf text/plain a b\ c 'd\e' "f\"g\h\\" '' x"y z"`:     {"a", "b c", `d\e`, `f"g\h\`, "", "xy z"},
		`Converter application/vnd.ms-* text/html;charset=KOI8-R x $url --base=$url`: {"x", "$url", "--base=$url"},
		`Converter application/pdf text/plain sed s|a|b| '|' "<x>" \>y $in`:          {"sed", "s|a|b|", "|", "<x>", ">y", "$in"},
		`Converter application/pdf text/plain /usr/bin/x`:                            {"/usr/bin/x"},
	} {
		c := load(t, files{setsName: line + "\nServer http://a/\n"})
		if diff := cmp.Diff(want, c.Sets.Converters[0].Args); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
	c := load(t, files{setsName: "Converter application/vnd.ms-* text/html;charset=KOI8-R ./x\nServer http://a/\n"}).Sets.Converters[0]
	if c.From != "application/vnd.ms-*" || c.To != "text/html" || c.Charset != "koi8-r" || c.Line != 1 || !strings.HasPrefix(c.Args[0], "/") {
		t.Errorf("%+v", c)
	}
	if !c.Fits("application/vnd.ms-excel") || c.Fits("application/vnd.oasis") {
		t.Error("wildcards do not fit")
	}
}

// TestBadConverterLines wants a reason for each line that cannot work (B54).
func TestBadConverterLines(t *testing.T) {
	for line, want := range map[string]string{
		"Converter application/pdf text/plain":                                      "want: Converter from/type to/type command ...",
		"Converter pdf text/plain x":                                                `"pdf" is no media type`,
		"Converter */* text/plain x":                                                `"*/*" is no media type`,
		"Converter application/pdf text x":                                          `"text" is no media type`,
		"Converter text/html text/plain x":                                          "text/html is read without a converter",
		"Converter a/b a/b x":                                                       "from and to are the same type",
		"Converter a/b text/plain;format=flowed x":                                  `"text/plain;format=flowed": the only parameter is charset, as in text/plain;charset=utf-8`,
		`Converter a/b text/plain ""`:                                               "the command is empty",
		`Converter a/b text/plain 'x`:                                               "the closing quote is missing",
		`Converter a/b text/plain x y\ `:                                            "nothing follows the backslash at the end",
		"Converter a/b text/plain $in":                                              "the program has to be a name or a path",
		"Converter a/b text/plain sh -c 'x $url'":                                   "$url has to be an argument of its own",
		"Converter a/b text/plain x $url/y":                                         "$url has to be an argument of its own",
		"Converter a/b c/d x":                                                       "no chain of at most 3 lines turns c/d into text/html or text/plain",
		"Converter a/b c/d x\nConverter c/d a/b y":                                  "no chain of at most 3 lines turns c/d",
		"Converter a/1 a/2 x\nConverter a/2 a/3 x\nConverter a/3 application/pdf x": "no chain of at most 3 lines turns a/2",
		`Converter a/b text/html unrtf --html $in | cat`:                            `no shell reads the command, so "|" is an argument of it; write: sh -c '...$1...' sh $in`,
		`Converter a/b text/html "x $in 2>/dev/null"`:                               `no shell reads the command, so "2>/dev/null"`,
		`Converter a/b text/html x $in >$out`:                                       `no shell reads the command, so ">$out"`,
		`Converter a/b text/html x $in|cat`:                                         `no shell reads the command, so "$in|cat"`,
		`Converter a/b text/html x $in && y`:                                        `no shell reads the command, so "&&"`,
		`Converter "a/b" text/plain x`:                                              `"\"a/b\"" is no media type`,
	} {
		got := problems(t, files{setsName: line + "\nServer http://a/\n"}, nil)
		if len(got) == 0 || !strings.Contains(got[0], ": Converter: "+want) {
			t.Errorf("%s\n got %q\nwant %s", line, got, want)
		}
	}
	load(t, files{setsName: "Converter a/b application/pdf x\nConverter a/1 a/2 x\nConverter a/2 application/pdf x\nServer http://a/\n"})
}
