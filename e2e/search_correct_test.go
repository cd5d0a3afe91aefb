package e2e

import (
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestSearchCorrects: a word that no document has is replaced by the one that is meant, and the answer says so. Phrases, words
// with digits and exclusions stay as they were typed. A wrong second letter and a word of what is written without a blank are
// corrected, too, and other forms of the word count.
func TestSearchCorrects(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<title>home</title><a href="/vacuum.html">one</a> <a href="/tables.html">other</a>`)
	site.HTML("/vacuum.html", "<title>a</title>how to vacuum a table, release x25")
	site.HTML("/tables.html", "<title>b</title>tables and other things")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	said := `No document has "vacum"; these are for "vacuum"`
	for _, c := range []struct {
		query       string
		found, says bool
	}{
		{"vacum", true, true},
		{"vacum table", true, true},
		{"+vacum +table", true, true},
		{"vacum.table", true, true},
		{"vacuum", true, false},
		{`"vacum a table"`, false, false},
		{"x26", false, false},
		{"home -vacum", false, false},
	} {
		for range 2 { // read, and from the words that are kept
			code, out, errOut := w.try("--search", c.query)
			if code != exitDone || strings.Contains(out, "/vacuum.html") != c.found || strings.Contains(out, said) != c.says {
				t.Errorf("%s: exit %d, want found %v, said %v\n%s%s", c.query, code, c.found, c.says, out, errOut)
			}
		}
	}
	for _, slip := range []string{"vicuum", "vcuum"} {
		if _, out, _ := w.try("--search", slip); !strings.Contains(out, `these are for "vacuum"`) {
			t.Errorf("%s:\n%s", slip, out)
		}
	}
	if _, out, _ := w.try("--search", "tabels"); !strings.Contains(out, "/vacuum.html") || !strings.Contains(out, "/tables.html") {
		t.Errorf("other forms of tables do not count:\n%s", out)
	}
	if _, out, _ := w.try("--search", "vacum tables"); !strings.Contains(out, "/vacuum.html") || !strings.Contains(out, "/tables.html") {
		t.Errorf("any of the words is enough:\n%s", out)
	}
}

// TestSearchLoosens: a phrase among other words, an option and a question mark do not make a question find nothing. A phrase that
// some document has, one alone, and one in a section stay conditions.
func TestSearchLoosens(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<title>home</title><a href="/types.html">one</a> <a href="/message.html">other</a>`)
	site.HTML("/types.html", "<title>a</title>a type is correct, in theory")
	site.HTML("/message.html", "<title>b</title>the message passing of processes")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	said := `has "type correct" as a phrase: its words are searched for`
	for _, c := range []struct {
		query          string
		types, message bool
		says           bool
	}{
		{`when is a process "type correct"`, true, true, true},
		{`processes ("type correct")`, true, true, true},
		{`process "type is correct"`, true, false, false},
		{`process "message passing"`, false, true, false},
		{`"type correct"`, false, false, false},
		{`process title:"type correct"`, false, false, false},
		{"message -e", false, true, false},
		{"type -message", true, false, false},
		{"a ?correct? message", true, true, false},
		{"message?--that correct", true, true, false},
		{"theories", true, false, false},
		{strings.Repeat("(correct-wing message) ", 20), true, true, false}, // 60 words
	} {
		for range 2 {
			_, out, errOut := w.try("--search", c.query)
			types, message, says := strings.Contains(out, "/types.html"), strings.Contains(out, "/message.html"), strings.Contains(out+errOut, said)
			if types != c.types || message != c.message || says != c.says {
				t.Errorf("%s: types %v, message %v, said %v\n%s%s", c.query, types, message, says, out, errOut)
			}
		}
	}
}
