package program

import (
	"bytes"
	"testing"
)

// TestTerminal: log lines push the live line down and never run into it.
func TestTerminal(t *testing.T) {
	var out bytes.Buffer
	term := &terminal{out: &out}
	say := func(text string) {
		if _, err := term.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	say("before\n")
	term.show("crawl  1 documents")
	term.show("crawl  2 documents")
	say("a warning\n")
	term.leave()
	term.leave()
	say("after\n")
	want := "before\n" +
		clearLine + "crawl  1 documents" +
		clearLine + "crawl  2 documents" +
		clearLine + "a warning\n" + "crawl  2 documents" +
		"\nafter\n"
	if got := out.String(); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
