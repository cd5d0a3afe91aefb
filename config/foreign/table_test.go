package foreign

import (
	"os"
	"strings"
	"testing"
)

// TestTable: a program has a directive once, and each can be imported with any value.
func TestTable(t *testing.T) {
	t.Parallel()
	for _, r := range table {
		for name := range strings.FieldsSeq(r.names) {
			for _, in := range []program{aspseek, mnogo, datapark} {
				if r.in&in == 0 {
					continue
				}
				if found := find(strings.ToUpper(name), in); found == nil || found.here != r.here {
					t.Errorf("%s of %s is in two rows", name, in.name())
				}
			}
			lines := ""
			for _, value := range []string{"", "yes", "1", "a b c d", "http://a.org/x/", `"`} {
				lines += name + " " + value + "\n"
			}
			imported(t, "aspseek.conf", "DeltaBufferSize 1\n"+strings.Repeat("UtfStorage yes\n", 9)+lines, nil)
			imported(t, "indexer.conf", strings.Repeat("LocalCharset UTF-8\n", 9)+lines, nil)
		}
	}
}

const (
	docs  = "../../docs/coming-from.md"
	begin = "<!-- The table is made from config/foreign: go test ./config/foreign -run TestDocumentation -update -->\n"
	end   = "<!-- end of the table -->\n"
)

// TestDocumentation: docs/coming-from.md has the table.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), begin)
	was, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s does not have the lines %q and %q", docs, begin, end)
	}
	is := markdown()
	if *update && was != is {
		if err := os.WriteFile(docs, []byte(before+begin+is+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		was = is
	}
	if was != is {
		t.Errorf("%s has another table than the program; go test ./config/foreign -run TestDocumentation -update writes it", docs)
	}
}

// markdown returns the table as it stands in the documentation.
func markdown() string {
	var b strings.Builder
	b.WriteString("| directive | of | here |\n|---|---|---|\n")
	for _, r := range table {
		var of []string
		for _, in := range []program{aspseek, mnogo, datapark} {
			if r.in&in != 0 {
				of = append(of, in.name()[:1])
			}
		}
		b.WriteString("| `" + strings.ReplaceAll(r.names, " ", "` `") + "` | " + strings.ToUpper(strings.Join(of, " ")) + " | " + r.here + " |\n")
	}
	return b.String()
}
