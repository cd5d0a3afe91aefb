package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMain removes the caller's settings from the environment: every test sets its own.
func TestMain(m *testing.M) {
	for _, k := range spiderKeys {
		_ = os.Unsetenv(variable(k))
	}
	for _, k := range searchKeys {
		_ = os.Unsetenv(variable(k))
	}
	for _, v := range intervals {
		_ = os.Unsetenv(v.name)
	}
	os.Exit(m.Run())
}

// files is the content of a configuration directory by file name.
type files map[string]string

// write creates the directory.
func (f files) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load loads a valid configuration.
func load(t *testing.T, f files) *Config {
	t.Helper()
	c, err := Load(f.write(t), nil)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

// problems loads an invalid configuration, and returns its messages without the directory's name.
func problems(t *testing.T, f files, overrides map[string]string) []string {
	t.Helper()
	dir := f.write(t)
	c, err := Load(dir, overrides)
	var errs Errors
	if !errors.As(err, &errs) || c != nil {
		t.Fatalf("Load = %v, %v; want nil and Errors", c, err)
	}
	return strings.Split(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), "\n")
}

func TestAllProblemsOfBothFilesAreReportedTogether(t *testing.T) {
	t.Setenv("PGSEEK_BATCHSIZE", "many")
	got := problems(t, files{
		setsName: "Servr https://a.example/\n" +
			"Period 1x\n" +
			"Include more.cnf\n" +
			"Allow \"open\n" +
			"Server ftp://a.example/\n",
		"more.cnf": "\nDisallow a(b\n",
		spiderName: "Threads 0\n" +
			"\n" +
			"Clones\n" +
			"Server https://a.example/\n" +
			"BatchSize 0\n", // hidden by the environment, and wrong all the same
	}, map[string]string{"ReadTimeout": "-1", "Speed": "1"})
	want := []string{
		`sets.cnf:1: Servr: unknown keyword; did you mean Server?`,
		`sets.cnf:2: Period: "1x" is not a time: seconds, or numbers with s, M (minute), h, d, m (month) or y`,
		`sets.cnf:4: Allow: the closing quote is missing`,
		`sets.cnf:5: Server: "ftp://a.example/" is not an absolute http or https URL`,
		`more.cnf:2: Disallow: bad pattern "a(b": missing closing ): "(?i)a(b"`,
		`spider.cnf:1: Threads: "0" is not a whole number from 1 to 1000`,
		`spider.cnf:3: Clones: a value is missing`,
		`spider.cnf:4: Server: unknown keyword in spider.cnf: it belongs in sets.cnf`,
		`spider.cnf:5: BatchSize: "0" is not a whole number from 1 to 10000`,
		`command line: Speed: unknown keyword`,
		`command line: ReadTimeOut: "-1" is not a time: seconds, or numbers with s, M (minute), h, d, m (month) or y`,
		`PGSEEK_BATCHSIZE: BatchSize: "many" is not a whole number from 1 to 10000`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// B40: unknown key, bad number, bad pattern, missing file, NUL, CRLF, BOM, 1 MB line: file:line and the key; CRLF and
// BOM are accepted.
func TestB40BadConfiguration(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	bad := []struct {
		name  string
		files files
		want  string
	}{
		{"unknown key", files{spiderName: "Thread 3\n"}, `spider.cnf:1: Thread: unknown keyword; did you mean Threads?`},
		{"bad number", files{spiderName: "# c\nThreads 1e3\n"}, `spider.cnf:2: Threads: "1e3" is not a whole number from 1 to 1000`},
		{"bad pattern", files{setsName: "Allow *\n"}, `sets.cnf:1: Allow: bad pattern "*": missing argument to repetition operator: "*"`},
		{"missing included file", files{setsName: "\n\nInclude gone.cnf\n"}, `sets.cnf:3: Include: gone.cnf: no such file or directory`},
		{"missing stop word file", files{spiderName: "StopwordFile en gone\n"}, `spider.cnf:1: StopwordFile: gone: no such file or directory`},
		{"NUL", files{setsName: "Tag 1\n# a\x00\n"}, `sets.cnf:2: NUL byte: the file is not UTF-8 text`},
		{"NUL in spider.cnf", files{spiderName: "Threads\x001\n"}, `spider.cnf:1: NUL byte: the file is not UTF-8 text`},
		{"UTF-16", files{spiderName: "\xff\xfeT\x00h\x00"}, `spider.cnf:1: NUL byte: the file is not UTF-8 text`},
		{
			"1 MB line: value",
			files{spiderName: "Threads " + long + "\n"},
			`spider.cnf:1: Threads: "` + strings.Repeat("x", 60) + `"... is not a whole number from 1 to 1000`,
		},
		{"1 MB line: keyword", files{spiderName: long + "\n"}, `spider.cnf:1: ` + strings.Repeat("x", 60) + `: unknown keyword`},
		{
			"1 MB line: pattern",
			files{setsName: "Tag 1\nAllow " + long + "\n"},
			`sets.cnf:2: Allow: the pattern has 1048576 bytes, at most 65536 are allowed; a line can have several patterns`,
		},
		{"Latin-1", files{setsName: "Allow \xe9\n"}, `sets.cnf:1: the line is not valid UTF-8`},
		{"escape sequence", files{setsName: "Allow \x1b[2J\n"}, `sets.cnf:1: control character U+001B`},
	}
	for _, c := range bad {
		t.Run(c.name, func(t *testing.T) {
			got := problems(t, c.files, nil)
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}

	good := []struct{ name, content string }{
		{"CRLF", "Tag 3\r\nServer \\\r\nhttps://a.example/\r\n"},
		{"BOM", "\uFEFFTag 3\nServer https://a.example/\n"},
		{"BOM before a comment", "\uFEFF# c\nTag 3\nServer https://a.example/"},
		{"1 MB comment", "#" + long + "\nTag 3\nServer https://a.example/"},
		{"1 MB of blanks", "Tag" + strings.Repeat(" ", 1<<20) + "3\nServer https://a.example/"},
		{"1 MB of patterns", "Allow" + strings.Repeat(" "+long[:63], 1<<14) + "\nTag 3\nServer https://a.example/"},
	}
	for _, c := range good {
		t.Run(c.name+" accepted", func(t *testing.T) {
			s := load(t, files{setsName: c.content}).Sets.Servers
			if len(s) != 1 || s[0].Tag != 3 || s[0].URL != "https://a.example/" {
				t.Errorf("servers = %+v", s)
			}
		})
	}
}

func TestB40AGarbageFileIsToldByItsFirstProblems(t *testing.T) {
	got := problems(t, files{spiderName: strings.Repeat("lorem ipsum\n", 500_000)}, nil)
	if len(got) != maxErrors || got[maxErrors-1] != "spider.cnf:1000: lorem: unknown keyword" {
		t.Errorf("%d problems, the last %q", len(got), got[len(got)-1])
	}
}

// B41: no start URL, all start URLs invalid, in a mode that needs them.
func TestB41StartURLs(t *testing.T) {
	t.Run("no Server", func(t *testing.T) {
		dir := files{setsName: "Tag 1\n"}.write(t)
		c, err := Load(dir, nil)
		if err != nil {
			t.Fatalf("a mode without start URLs is refused: %v", err)
		}
		want := Errors{{
			File: filepath.Join(dir, setsName), Keyword: "Server",
			Reason: "no start URL: add a line such as `Server https://www.example.org/`",
		}}
		if diff := cmp.Diff(error(want), c.RequireStartURLs()); diff != "" {
			t.Errorf("RequireStartURLs (-want +got):\n%s", diff)
		}
	})
	t.Run("no sets.cnf", func(t *testing.T) {
		dir := files{}.write(t)
		c, err := Load(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = c.RequireStartURLs()
		if err == nil || !strings.HasPrefix(err.Error(), filepath.Join(dir, setsName)+": Server: no start URL: the file does not exist") {
			t.Errorf("RequireStartURLs = %v", err)
		}
		if c.SetsFile != "" || c.SpiderFile != "" {
			t.Errorf("files = %q, %q; want none", c.SetsFile, c.SpiderFile)
		}
	})
	t.Run("all invalid", func(t *testing.T) {
		got := problems(t, files{setsName: "Server www.example.org\nServer https://\n"}, nil)
		want := []string{
			`sets.cnf:1: Server: "www.example.org" is not an absolute http or https URL`,
			`sets.cnf:2: Server: "https://" has no host`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("one", func(t *testing.T) {
		if err := load(t, files{setsName: "Server https://a.example/\n"}).RequireStartURLs(); err != nil {
			t.Errorf("RequireStartURLs = %v", err)
		}
	})
}

func TestWhereTheFilesLie(t *testing.T) {
	both := files{setsName: "Tag 1\n", spiderName: "Threads 3\n", "other.cnf": "Tag 2\n"}
	t.Run("directory", func(t *testing.T) {
		dir := both.write(t)
		c, err := Load(dir, nil)
		if err != nil || c.Sets.Outside.Tag != 1 || c.Spider.Threads != 3 ||
			c.SetsFile != filepath.Join(dir, setsName) || c.SpiderFile != filepath.Join(dir, spiderName) {
			t.Errorf("Load = %+v, %v", c, err)
		}
	})
	t.Run("a file stands for sets.cnf", func(t *testing.T) {
		dir := both.write(t)
		c, err := Load(filepath.Join(dir, "other.cnf"), nil)
		if err != nil || c.Sets.Outside.Tag != 2 || c.Spider.Threads != 3 {
			t.Errorf("Load = %+v, %v", c, err)
		}
	})
	t.Run("current directory", func(t *testing.T) {
		t.Chdir(files{spiderName: "Threads 4\n"}.write(t))
		c, err := Load("", nil)
		if err != nil || c.Spider.Threads != 4 || c.SetsFile != "" || c.SpiderFile != spiderName {
			t.Errorf("Load = %+v, %v", c, err)
		}
	})
	t.Run("else /etc/pgseek", func(t *testing.T) {
		t.Chdir(t.TempDir())
		sets, spider, err := find("")
		if sets != "/etc/pgseek/sets.cnf" || spider != "/etc/pgseek/spider.cnf" || err != nil {
			t.Errorf("find = %q, %q, %v", sets, spider, err)
		}
	})
	for name, place := range map[string]string{"missing": "nowhere", "spider.cnf named": spiderName} {
		t.Run(name, func(t *testing.T) {
			place := filepath.Join(both.write(t), place)
			_, err := Load(place, nil)
			if err == nil || !strings.HasPrefix(err.Error(), place+": ") {
				t.Errorf("Load(%q): %v", place, err)
			}
		})
	}
	t.Run("not a regular file", func(t *testing.T) {
		dir := both.write(t)
		if err := os.Remove(filepath.Join(dir, setsName)); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, setsName), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, nil); err == nil || !strings.HasSuffix(err.Error(), "sets.cnf: not a regular file") {
			t.Errorf("Load: %v", err)
		}
	})
}

// No message contains a password (docs/reference/promises.md, Security rules, 9).
func TestPasswordsNeverAppear(t *testing.T) {
	const secret = "hunter2"
	for _, f := range []files{
		{spiderName: "DBAddr mysql://u:hunter2@h/db"},
		{spiderName: "DBAddr hunter2"},
		{spiderName: "DBAddr postgres://u:hunter2@h/db hunter2"},
		{spiderName: "DBAddr host=h password=hunter2"},
		{spiderName: `DBAddr "postgres://u:hunter2@h/db`},
		{spiderName: `DBAddr "postgres://u:hunter2@h/db"hunter2`},
		{spiderName: `DBAddr "postgres://u:hunter2@h/d b"`},
		{spiderName: "DBAddr postgres://u:hunter2@h\x1b/db"},
		{spiderName: "DBAddr=postgres://u:hunter2@h/db"},
		{spiderName: "DBAdr postgres://u:hunter2@h/db"},
		{spiderName: "DBAddr \\\nhunter2"},
		{spiderName: "postgres://u:hunter2@h/db"},
		{setsName: "DBAddr postgres://u:hunter2@h/db"},
		{setsName: "AuthBasic hunter2\nServer http://a.example/"},
		{setsName: "AuthBasic :hunter2\nServer http://a.example/"},
		{setsName: "AuthBasic u:hunter2 hunter2\nServer http://a.example/"},
		{setsName: "AuthBasic u:hunter2\nServer ftp://a.example/"},
		{setsName: "AuthBasic u:hunter2"},
		{setsName: "AuthBasic:u:hunter2"},
		{setsName: "Server ftp://u:hunter2@a.example/"},
		{setsName: "Server http://u:hunter2@/"},
		{setsName: "Server http://u:hunter2@a.example:99999/"},
		{setsName: "Server http://u:hunter2@[::1/"},
		{setsName: "FormLogin http://a.example/ p=hunter2"},
		{setsName: "DBSource postgres://u:hunter2@h/db \"SELECT\" key=id"},
	} {
		for _, p := range problems(t, f, nil) {
			if strings.Contains(p, secret) {
				t.Errorf("%v: the message holds the password: %s", f, p)
			}
		}
	}
	if p := problems(t, nil, map[string]string{"DBAddr": "ftp://u:hunter2@h"}); strings.Contains(p[0], secret) {
		t.Errorf("flag: %s", p[0])
	}
	t.Setenv("PGSEEK_DBADDR", "ftp://u:hunter2@h")
	if p := problems(t, nil, nil); strings.Contains(p[0], secret) || !strings.HasPrefix(p[0], "PGSEEK_DBADDR: DBAddr: ") {
		t.Errorf("environment: %s", p[0])
	}
}

func TestUnknownKeywordHints(t *testing.T) {
	for _, c := range []struct{ file, line, want string }{
		{spiderName, "thraeds 3", "thraeds: unknown keyword; did you mean Threads?"},
		{spiderName, "ReadTimeout", "ReadTimeOut: a value is missing"},
		{spiderName, "MaxWordLen 3", "MaxWordLen: unknown keyword; did you mean MaxWordLength?"},
		{spiderName, "Perod 7d", "Perod: unknown keyword; did you mean Period in sets.cnf?"},
		{spiderName, "period 7d", "Period: unknown keyword in spider.cnf: it belongs in sets.cnf"},
		{setsName, "DisalowNoMatch x", "DisalowNoMatch: unknown keyword; did you mean DisallowNoMatch?"},
		{setsName, "CountryDB a b", "CountryDB: unknown keyword"},
		{setsName, " # indented", `unknown keyword "#": a comment needs a line of its own, with # as its first character`},
		{setsName, "= 3", "unknown keyword: a line begins with a keyword of letters"},
		{setsName, "Tag=3", "Tag: unknown keyword: a keyword has letters only, and a space separates it from its value"},
		{spiderName, "Threads 3 # three", "Threads: 3 values, expected one (a comment needs a line of its own)"},
		{spiderName, "UserAgent my bot", "UserAgent: 2 values, expected one (put a value with spaces in double quotes)"},
	} {
		got := problems(t, files{c.file: c.line}, nil)
		if diff := cmp.Diff([]string{c.file + ":1: " + c.want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.line, diff)
		}
	}
}

func TestErrorText(t *testing.T) {
	for want, e := range map[string]Error{
		"sets.cnf:3: Tag: bad":         {"sets.cnf", 3, "Tag", "bad"},
		"sets.cnf: bad":                {"sets.cnf", 0, "", "bad"},
		"PGSEEK_TAG: Tag: bad":         {"PGSEEK_TAG", 0, "Tag", "bad"},
		`"a\nb\x1b":1: Tag: bad`:       {"a\nb\x1b", 1, "Tag", "bad"},
		"bad":                          {Reason: "bad"},
		"/tmp/höhle/sets.cnf:1: x: no": {"/tmp/höhle/sets.cnf", 1, "x", "no"},
	} {
		if got := e.Error(); got != want {
			t.Errorf("Error() = %q, want %q", got, want)
		}
	}
}
