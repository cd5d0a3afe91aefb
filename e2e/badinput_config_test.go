package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestBadConfiguration is B40 and B41: exit 2 with file, line and keyword before anything is touched. What the parser says
// of each mistake is config's to test; here the site must not be asked, nor the database written.
func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	for _, c := range []struct {
		name, sets, spider string   // sets.cnf before its Server line; spider.cnf after DBAddr, its first line
		say                []string // on stderr
	}{
		{"B40: unknown key in sets.cnf", "Peroid 1d\n", "", []string{"sets.cnf:1: Peroid: unknown keyword; did you mean Period?"}},
		{"B40: unknown key in spider.cnf", "", "Thread 3\n", []string{"spider.cnf:2: Thread: unknown keyword"}},
		{"B40: key of the other file", "Threads 3\n", "", []string{"sets.cnf:1: Threads: unknown keyword in sets.cnf: it belongs in spider.cnf"}},
		{"B40: bad number", "", "\n# comment\nThreads 1e3\n", []string{"spider.cnf:4: Threads: "}},
		{"B40: number out of range", "", "MaxWordLength 33\n", []string{"spider.cnf:2: MaxWordLength: "}},
		{"B40: bad time", "Period 3 fortnights\n", "", []string{"sets.cnf:1: Period: "}},
		{"B40: bad pattern", "Allow (\n", "", []string{"sets.cnf:1: Allow: bad pattern"}},
		{"B40: missing argument", "", "ReadTimeOut\n", []string{"spider.cnf:2: ReadTimeOut: "}},
		{"B40: missing included file", "Include gone.cnf\n", "", []string{"sets.cnf:1: Include: ", "gone.cnf: no such file"}},
		{"B40: missing stop word file", "", "StopwordFile en gone.txt\n", []string{"spider.cnf:2: StopwordFile: "}},
		{"B40: NUL", "Tag 1\nPeriod \x001d\n", "", []string{"sets.cnf:2: NUL byte"}},
		{"B40: 1 MB line", "", "Threads " + long + "\n", []string{"spider.cnf:2: Threads: "}},
		{"B40: 1 MB keyword", long + "\n", "", []string{"sets.cnf:1: xxx"}},
		{
			"B40: all problems at once, of both files", "Allow (\nTag x\n", "Threads 0\nMaxLinks 3\n",
			[]string{"sets.cnf:1: Allow: ", "sets.cnf:2: Tag: ", "spider.cnf:2: Threads: ", "spider.cnf:3: MaxLinks: "},
		},
		{"B11, B40: a start URL with a bad port", "Server http://127.0.0.1:65536/\n", "", []string{"sets.cnf:1: Server: "}},
		{"B12, B40: a start URL with a bad name", "Server http://exa<mple.com/\n", "", []string{"sets.cnf:1: Server: "}},
		{"B40: a start URL whose name leads to a denied network", "Server http://localhost:9/\n", "", []string{"sets.cnf:1: Server: ", "AllowHost localhost"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := beside(t, c.spider)
			n.sets(c.sets + "Server " + n.site.URL + "/\n")
			n.refused(c.say...)
			if asked := n.site.Requests(); len(asked) > 0 {
				t.Errorf("the site was asked for %v", asked)
			}
		})
	}

	t.Run("B40: a message is a line that a terminal can show", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "Threads "+long+"\n")
		n.sets(long + "\n" + "Tag \x1b[2J\nPeriod \xff\nServer " + n.site.URL + "/\n")
		_, _, errOut := n.try()
		for line := range strings.Lines(errOut) {
			if len(line) > 500 || strings.ContainsAny(line, "\x1b\x00") || !utf8.ValidString(line) {
				t.Errorf("%d bytes: %q", len(line), line[:min(len(line), 500)])
			}
		}
	})

	t.Run("B40: no spider.cnf is no error, a directory in its place is", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		name := filepath.Join(n.dir, "spider.cnf")
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		n.env = []string{"PGSEEK_DBADDR=" + n.dsn}
		n.crawl()
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
		if code, _, errOut := n.try(); code != exitUsage || !strings.Contains(errOut, "spider.cnf") {
			t.Errorf("exit %d, want %d: %s", code, exitUsage, errOut)
		}
	})

	for name, edit := range map[string]func(string) string{
		"B40: CRLF is accepted": func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"B40: BOM is accepted":  func(s string) string { return "\uFEFF" + s },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := beside(t, "Threads 2\nMinWordLength 2\n")
			for _, file := range []string{"sets.cnf", "spider.cnf"} {
				text, err := os.ReadFile(filepath.Join(n.dir, file))
				if err != nil {
					t.Fatal(err)
				}
				if file == "sets.cnf" {
					text = append([]byte("Tag 7\n"), text...)
				}
				n.write(file, edit(string(text)))
			}
			n.crawl()
			n.want("/good.html", "w.tag", "7") // so the first line was read, too
		})
	}

	for _, c := range []struct{ name, sets, say string }{
		{"B41: no Server", "Tag 1\n", "sets.cnf: Server: no start URL"},
		{"B41: an empty file", "", "sets.cnf: Server: no start URL"},
		{"B41: all invalid", "Server www.example.org\nServer https://\nServer ftp://example.org/\n", "sets.cnf:1: Server: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := beside(t, "")
			n.sets(c.sets)
			n.refused(c.say)
			if strings.HasPrefix(c.name, "B41: all") {
				n.refused("sets.cnf:2: Server: ", "sets.cnf:3: Server: ")
				return
			}
			n.index("-q") // takes no start URL
			n.index("-S") // nor do the modes that do not crawl
			n.index("-D")
		})
	}

	t.Run("B41: no sets.cnf", func(t *testing.T) {
		t.Parallel()
		n := beside(t, "")
		if err := os.Remove(filepath.Join(n.dir, "sets.cnf")); err != nil {
			t.Fatal(err)
		}
		n.refused("sets.cnf: Server: no start URL: the file does not exist")
	})
}
