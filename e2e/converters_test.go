package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestConverters crawls documents of types that programs convert: alone, in a chain, with links that are followed, in another charset,
// and such whose program fails. Their text is found by a crawl and by -T, is the stored content, and survives the program.
func TestConverters(t *testing.T) {
	tmp := t.TempDir() // TMPDIR of the converters
	t.Setenv("TMPDIR", tmp)
	site := spidertest.NewSite(t)
	long := "begin " + strings.Repeat("filling ", 400_000) + "faraway" // beyond IndexLimit
	set := func(path, media, body string) { site.Set(path, spidertest.Page{Type: media, Body: body}) }
	site.HTML("/", `<a href="/a.up">x</a> <a href="/b.chain">x</a> <a href="/c.links">x</a> <a href="/d.latin">x</a> <a href="/fails.bad">x</a>
		<a href="/empty.up">x</a> <a href="/blank.same">x</a> <a href="/sleeps.slow">x</a> <a href="/long.last">x</a> <a href="/z.html">x</a>
		<a href="/w.later">x</a>`)
	site.HTML("/z.html", "an ordinary page of Zanzibar")
	site.HTML("/linked.html", "a page of Lindau")
	set("/a.up", "application/x-upper; v=1", "plain words over a line\nbreak")
	set("/b.chain", "application/x-one", "some chained words")
	set("/c.links", "application/x-links", "/linked.html")
	set("/d.latin", "application/x-latin", "gr\xfcn")
	set("/fails.bad", "application/x-bad", "bad")
	set("/empty.up", "application/x-upper", "")
	set("/w.later", "application/x-later", "words to come")
	set("/blank.same", "application/x-same", "\f\f")
	set("/sleeps.slow", "application/x-slow", "slow")
	set("/long.last", "application/x-tail", long)
	sets := `
Converter application/x-upper text/plain tr a-z A-Z
Converter application/x-one application/x-two sh -c 'sed s/some/two/ <"$0" >"$1"' $in $out
Converter application/x-two application/x-three sed 's/two/three/'
Converter application/x-three text/html sh -c 'echo "<title>A title</title>"; cat "$0"; echo "<p>$1"' $in $url
Converter application/x-links text/html sed "s/.*/<a href='&'>next<\/a> of links/"
Converter application/x-latin text/plain;charset=iso-8859-1 cat
Converter application/x-bad text/plain sh -c 'echo "half a text"; echo "it is damaged" >&2; exit 1'
Converter application/x-slow text/plain sh -c 'setsid sleep 1011 & sleep 1012'
Converter application/x-tail text/plain tail -c 20
Converter application/x-missing text/plain no-such-program-of-ours $in
Converter application/x-same text/plain cat
Server ` + site.URL + "/\n"
	w := newWorld(t, sets)
	w.spider("ConvertTimeOut 8s")
	_, _, errOut := w.try()
	if !strings.Contains(errOut, `program=no-such-program-of-ours`) {
		t.Errorf("the missing program is not named: %s", errOut)
	}
	found := map[string]string{
		"break": "/a.up", "three": "/b.chain", "title": "/b.chain", "lindau": "/linked.html", "grün": "/d.latin", "zanzibar": "/z.html",
		"half": "", "faraway": "/long.last",
	}
	w.finds("crawled", found)
	causes := func() string {
		return strings.Join(w.rows(`SELECT substring(w.url from '[^/]*$') || ' ' || w.status || ' ' || h.cause FROM urlword w
			JOIN crawl_history h USING (url_id) WHERE w.status & 65535 >= 800 ORDER BY w.url`), "\n")
	}
	want := "empty.up 801 tr wrote no text\nfails.bad 801 sh ended with status 1: it is damaged\nsleeps.slow 801 sh took longer than 8s\n" +
		"w.later 800 no converter for application/x-later"
	if got := causes(); got != want {
		t.Errorf("causes:\n%s\nwant\n%s", got, want)
	}
	if got := w.one(`SELECT count(*) FROM urlword WHERE url LIKE '%blank.same' AND status = 200`); got != "1" {
		t.Error("a document of white space is not one without words")
	}
	if ps := processesWith("sleep 1011", "sleep 1012"); len(ps) > 0 {
		t.Errorf("still running: %q", ps)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "pgseek-convert-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if out := w.index("--search", `"line break"`); !strings.Contains(out, "a.up") {
		t.Errorf("no phrase over a line break: %s", out)
	}
	before := w.contents()
	w.index("--rebuild-index")
	if d := cmp.Diff(before, w.contents()); d != "" {
		t.Errorf("rebuilt (-before +after):\n%s", d)
	}
	w.finds("rebuilt", found)
	w.index("-X1")

	// The program goes: nothing is lost, neither of a document that has not changed nor of one that has.
	set("/a.up", "application/x-upper", "other words")
	w.sets("Server " + site.URL + "/\n")
	w.index(w.accept("-a", "-m")...)
	w.finds("without converters", found)
	if got := w.one(`SELECT cause FROM crawl_history JOIN urlword USING (url_id) WHERE url LIKE '%a.up' ORDER BY at DESC LIMIT 1`); !strings.HasPrefix(got, "no converter for application/x-upper here") {
		t.Errorf("cause %q", got)
	}
	w.sets(sets)
	w.index(w.accept("-a")...)
	w.finds("with converters again", map[string]string{"break": "", "other": "/a.up"})

	// Another command for a type reaches an unchanged document, and a line for a new type what was not read.
	w.sets("Converter application/x-later text/plain cat\nConverter application/x-bad text/plain cat\n" +
		strings.Replace(sets, "sed 's/two/three/'", "sed 's/two/four/'", 1))
	w.rows(`WITH due AS (UPDATE urlword SET next_index_time = 0 WHERE url LIKE '%b.chain' RETURNING site_id)
		UPDATE sitestate SET next_due = 0 FROM due WHERE due.site_id = sitestate.site_id RETURNING 1`)
	site.Forget()
	w.index(w.accept()...)
	w.finds("with other lines", map[string]string{"three": "", "four": "/b.chain", "come": "/w.later", "bad": "/fails.bad"})
	if n := site.Count()["/a.up"] + site.Count()["/d.latin"]; n > 0 {
		t.Errorf("%d requests for documents that no line concerns", n)
	}
	w.index("-X1")

	set("/a.up", "application/x-upper", "third version")
	w.index("-T", site.URL+"/a.up")
	w.finds("by -T", map[string]string{"third": "/a.up"})
}

// TestPDF converts PDF by pdftotext without a line, and with links by a line of the example.
func TestPDF(t *testing.T) {
	if !installed("pdftotext") || !installed("pdftohtml") {
		t.Skip("poppler-utils is not installed")
	}
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<a href="/a.pdf">x</a>`)
	site.HTML("/linked.html", "a page of Lindau")
	site.Set("/a.pdf", spidertest.Page{Type: "application/pdf", Body: string(pdf(site.URL+"/linked.html", "A text of Gravenstein", "apples and pears"))})
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	w.finds("crawled", map[string]string{"gravenstein": "/a.pdf", "lindau": ""})
	if out := w.index("--search", `"gravenstein apples"`); !strings.Contains(out, "apples and pears") {
		t.Errorf("no excerpt: %s", out)
	}
	w.index("-X1")
	w.sets("Converter application/pdf text/html;charset=utf-8 pdftohtml -q -s -i -noframes -enc UTF-8 -stdout $in\nServer " + site.URL + "/\n")
	w.index(w.accept("-a")...)
	if title := w.one(`SELECT title FROM urlwords JOIN urlword USING (url_id) WHERE url LIKE '%a.pdf'`); title != "a" {
		t.Errorf("title %q", title)
	}
	w.finds("with links", map[string]string{"gravenstein": "/a.pdf", "lindau": "/linked.html"})
}

// pdf returns a PDF with lines of text and a link.
func pdf(link string, lines ...string) []byte {
	var text strings.Builder
	text.WriteString("BT /F1 12 Tf 72 700 Td 14 TL\n")
	for _, l := range lines {
		fmt.Fprintf(&text, "(%s) Tj T*\n", l)
	}
	text.WriteString("ET")
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.4\n")
	for i, o := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R] >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		fmt.Sprintf("<< /Type /Annot /Subtype /Link /Rect [72 690 300 715] /Border [0 0 0] /A << /S /URI /URI (%s) >> >>", link),
	} {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, p := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", p)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

func installed(name string) bool {
	for dir := range strings.SplitSeq(os.Getenv("PATH"), ":") {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// processesWith returns the command lines of processes that contain one of some texts.
func processesWith(texts ...string) (list []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		b, _ := os.ReadFile(name)
		for _, text := range texts {
			if line := strings.ReplaceAll(string(b), "\x00", " "); strings.Contains(line, text) {
				list = append(list, line)
			}
		}
	}
	return list
}
