package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A keyword of ASPseek or mnoGoSearch is answered with what takes its place. What takes its place is known here.
func TestKeywordsOfOtherPrograms(t *testing.T) {
	t.Parallel()
	got := problems(t, files{setsName: "MaxDocSize 1048576\nDBNAME aspseek\nMime application/pdf text/plain x\nUtfStorage yes\n"}, nil)
	want := []string{
		setsName + ":1: MaxDocSize: unknown keyword; write MaxTextSize in spider.cnf, or MaxOtherSize for documents that are converted",
		setsName + ":2: DBNAME: unknown keyword; write in spider.cnf: DBAddr postgres://user:password@host/name",
		setsName + ":3: Mime: unknown keyword; write: Converter from/type to/type command $in",
		setsName + ":4: UtfStorage: unknown keyword; delete the line; no setting takes its place",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	all := homes()
	for name, what := range elsewhere {
		for home := range all {
			if strings.EqualFold(home, name) {
				t.Errorf("%s is a keyword of ours", name)
			}
		}
		if _, after, ok := strings.Cut(what, "write "); ok {
			word, _, _ := strings.Cut(strings.TrimPrefix(after, "in spider.cnf: "), " ")
			if all[strings.TrimSuffix(word, ":")] == "" {
				t.Errorf("%s: %s", name, what)
			}
		}
		if _, after, ok := strings.Cut(what, "write: "); ok {
			if word, _, _ := strings.Cut(after, " "); all[word] == "" {
				t.Errorf("%s: %s", name, what)
			}
		}
	}
}
