package snippet

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/query"
)

func testRules(tb testing.TB) *document.Rules {
	tb.Helper()
	r, err := document.NewRules(document.Rules{ParseLimit: time.Minute})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func testQuery(tb testing.TB, text string) *query.Query {
	tb.Helper()
	q, err := query.Parse(text, query.Options{MinFixedPatternLength: 2})
	if err != nil {
		tb.Fatal(err)
	}
	return q
}

// write returns an excerpt as text: marks in brackets with their terms, … where it is cut.
func write(e Excerpt) string {
	var b strings.Builder
	for _, s := range e {
		if s.CutBefore {
			b.WriteString("…")
		}
		if s.Term >= 0 {
			fmt.Fprintf(&b, "[%d:%s]", s.Term, s.Text)
		} else {
			b.WriteString(s.Text)
		}
		if s.CutAfter {
			b.WriteString("…")
		}
	}
	return b.String()
}

func writeAll(all []Excerpt) (out []string) {
	for _, e := range all {
		out = append(out, write(e))
	}
	return out
}

func read(tb testing.TB, page string) *document.Text {
	tb.Helper()
	text, err := document.ReadText([]byte(page), "text/html; charset=utf-8", "", testRules(tb))
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// filler returns n words that are in no query of these tests.
func filler(n int) string { return strings.Repeat("word ", n) }

func TestExcerpts(t *testing.T) {
	for _, c := range []struct {
		name, query, page string
		most, length      int
		want              []string
	}{
		{"a short text is shown whole", "cat", "The <b>cat</b> sat.", 2, 60, []string{"The [0:cat] sat."}},
		{"nothing found, nothing shown", "dog", "The cat sat.", 2, 60, nil},
		{"no excerpts are wanted", "cat", "The cat sat.", 0, 60, nil},
		{"META nosnippet", "cat", "<meta name=robots content=nosnippet>The cat sat.", 2, 60, nil},
		{"META noindex", "cat", "<meta name=robots content=noindex>The cat sat.", 2, 60, []string{"The [0:cat] sat."}},
		{"white space is single blanks", "cat", "<p>  The\n\n \t cat&nbsp;&nbsp; sat  <p> on", 2, 60, []string{"The [0:cat] sat on"}},
		{"a word over inline elements is one", "foobar", "<p>a foo<b>bar</b> b", 1, 60, []string{"a [0:foobar] b"}},
		{
			"a phrase goes first, and is shown whole", `"full table"`,
			filler(20) + "full. A table, a full bed. " + filler(40) + "end. A full table. " + filler(40), 1, 40,
			[]string{"…A [0:full] [1:table]. word word word word word…"},
		},
		{
			"words typed one after the other rather than turned around", "full table",
			filler(20) + "table full " + filler(40) + "full table " + filler(40), 1, 30,
			[]string{"…word word word [0:full] [1:table] word…"},
		},
		{
			"most different terms", "a1 b1 c1",
			filler(30) + "a1 b1 b1 a1 a1 b1 " + filler(30) + "c1 so b1 or a1 " + filler(30), 1, 30,
			[]string{"…word word word [2:c1] so [1:b1] or [0:a1]…"},
		},
		{
			"closest", "a1 b1", "b1 one two three a1 " + filler(30) + "b1 so a1 " + filler(30), 1, 30,
			[]string{"…word word word [1:b1] so [0:a1] word…"},
		},
		{
			"the second piece shows what the first does not", "a1 b1 c1",
			"a1 b1 " + filler(20) + "a1 b1 " + filler(20) + "c1 " + filler(20), 2, 30,
			[]string{"[0:a1] [1:b1] word word word word word…", "…word word word [2:c1] word word…"},
		},
		{"what is excluded is not marked", `vacuum* -vacuumdb -"full table"`, "vacuum vacuumdb full vacuumed", 1, 60, []string{"[0:vacuum] vacuumdb full [0:vacuumed]"}},
		{"patterns mark what fits", "vac*m ca?s", "vacuum vacuums cats cat cars", 1, 60, []string{"[0:vacuum] vacuums [1:cats] cat [1:cars]"}},
		{"a word of several is one mark", "pg_stat_activity", "see pg_stat_activity and pg stat", 1, 60, []string{"see [0:pg_stat_activity] and [0:pg] [1:stat]"}},
		{"words that were typed apart are marked apart", "pg stat", "see pg_stat or", 1, 60, []string{"see [0:pg]_[1:stat] or"}},
		{"pairs of Han are one mark", "日本語", "これは日本語です。", 1, 60, []string{"これは[0:日本語]です。"}},
		{
			"scripts without blanks are cut anywhere", "日本語", strings.Repeat("あいうえお", 30) + "日本語" + strings.Repeat("かきくけこ", 30), 1, 20,
			[]string{"…あいうえおあいうえお[0:日本語]かきくけこかき…"},
		},
		{
			"begins with the sentence, ends with one", "cat", filler(10) + "e.g. x. Here is a cat. And it sat there. So " + filler(10), 1, 40,
			[]string{"…Here is a [0:cat]. And it sat there.…"},
		},
		{"the end of a text is filled up from before", "cat", filler(20) + "cat", 1, 30, []string{"…word word word word word [0:cat]"}},
		{"a phrase with places between", `"full * table"`, "full table and full big table", 1, 60, []string{"[0:full] [1:table] and [0:full] big [1:table]"}},
		{
			"a phrase with choices, longer than the piece", `"one (two OR two three) four * six seven"`,
			filler(30) + "one two " + filler(30) + "one two three four five six seven " + filler(30), 1, 20,
			[]string{"…[0:one] [1:two] [2:three] [3:four] five [4:six] [5:seven]…"},
		},
		{"a term of another section", "title:cat", "The cat sat.", 1, 60, []string{"The [0:cat] sat."}},
		{"what sets directions is left out", "cat", "The \u202ecat\u2066 sat.", 1, 60, []string{"The [0:cat] sat."}},
		{"alternatives", "cat OR dog", "A dog.", 1, 60, []string{"A [1:dog]."}},
	} {
		f := NewFinder(testQuery(t, c.query), nil)
		if diff := cmp.Diff(c.want, writeAll(f.Excerpts(read(t, c.page), c.most, c.length))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestExcerptForms(t *testing.T) {
	forms := func(word string) []string {
		return map[string][]string{"run": {"runs", "running"}}[word]
	}
	f := NewFinder(testQuery(t, "run -runs"), forms)
	got := write(f.Mark("Run, he runs. Running!"))
	if want := "[0:Run], he runs. [0:Running]!"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMark(t *testing.T) {
	f := NewFinder(testQuery(t, "cat"), nil)
	for _, c := range []struct{ text, want string }{
		{"", ""}, {" \n ", ""}, {"  Cat\t", "[0:Cat]"}, {"a cat  \x00b ", "a [0:cat] b"},
	} {
		if got := write(f.Mark(c.text)); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	link := testQuery(t, "link:example.org")
	if got := write(NewFinder(link, nil).Mark("example org")); got != "example org" {
		t.Errorf("link: %s", got)
	}
}

// checkExcerpts verifies what the comment of Excerpts states.
func checkExcerpts(tb testing.TB, f *Finder, text *document.Text, all []Excerpt, most, length int) {
	tb.Helper()
	if len(all) > most {
		tb.Errorf("%d excerpts, want at most %d", len(all), most)
	}
	words := map[string]bool{}
	if len(text.Body) < 1<<20 {
		document.Tokens(string(text.Body), func(word string, _, _ int) bool {
			words[word] = true
			return true
		})
	}
	for _, e := range all {
		shown, marked := "", false
		for i, s := range e {
			if s.Text == "" || !utf8.ValidString(s.Text) || strings.ContainsAny(s.Text, "\n\t") || strings.Contains(s.Text, "  ") {
				tb.Errorf("span %q", s.Text)
			}
			if s.CutBefore && i > 0 || s.CutAfter && i < len(e)-1 {
				tb.Errorf("cut inside of %s", write(e))
			}
			shown += s.Text
			if s.Term >= 0 {
				marked = true
				fits := false
				document.Tokens(s.Text, func(word string, _, _ int) bool {
					fits = fits || f.terms([]byte(word)) != 0
					return true
				})
				if !fits {
					tb.Errorf("%q is marked", s.Text)
				}
			}
		}
		document.Tokens(shown, func(word string, _, _ int) bool {
			if len(words) > 0 && !words[word] && !document.Paired(word) && !strings.ContainsFunc(string(text.Body), setsDirection) {
				tb.Errorf("%q of %s is no word of the text", word, write(e))
			}
			return true
		})
		if !marked {
			tb.Errorf("nothing is marked in %s", write(e))
		}
		if n := utf8.RuneCountInString(shown); n > max(length, wideExcerpt*length) {
			tb.Errorf("%d characters: %s", n, write(e))
		}
		if strings.TrimSpace(shown) != shown {
			tb.Errorf("blanks around %q", shown)
		}
	}
}

// FuzzExcerpts verifies checkExcerpts for any query and text.
func FuzzExcerpts(f *testing.F) {
	f.Add("full table", "a full table. The table, full.", 2, 30)
	f.Add(`"a * (b OR c d)" e* -f`, "a x b e1 f a y c d", 3, 20)
	f.Add("日本語 ไทย", "日本語の本 ไทยไทย ㌢日本㌢", 1, 20)
	f.Add("a", strings.Repeat("a ", 500), 5, 40)
	rules := testRules(f)
	f.Fuzz(func(t *testing.T, queryText, page string, most, length int) {
		most, length = most%10, 20+abs(length)%300
		q, err := query.Parse(queryText, query.Options{MinFixedPatternLength: 1})
		if err != nil {
			return
		}
		text, err := document.ReadText([]byte(page), "text/plain; charset=utf-8", "", rules)
		if err != nil {
			t.Fatal(err)
		}
		finder := NewFinder(q, nil)
		checkExcerpts(t, finder, text, finder.Excerpts(text, most, length), max(most, 0), length)
		finder.Mark(page)
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

// TestExcerptsAreLinear: ten megabytes made for the worst query take seconds, not minutes. The code bounds
// the work (windows.budget); the test verifies that the bounds are reached.
func TestExcerptsAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 50 MB")
	}
	const size = 10 << 20
	var many []string
	for i := range query.MaxTerms {
		many = append(many, fmt.Sprintf("t%d", i))
	}
	all := strings.Join(many, " ")
	for _, c := range []struct{ name, query, unit string }{
		{"one term everywhere", "a", "a "},
		{"32 terms everywhere", all, all + " "},
		{"32 patterns", strings.Join(many, "* ") + "*", "t1x "},
		{"a phrase of one word", `"` + strings.Repeat("a ", 31) + `b"`, "a "},
		{"choices of gaps", `"(a | a * | a * * | a * * *) (a | a * | a * * * *) (a | a * * * * *) (a | a * * * * * * *) (a | * a) b"`, "a "},
		{"no blank", "a", "一"},
	} {
		q, err := query.Parse(c.query, query.Options{MinFixedPatternLength: 1})
		if err != nil {
			t.Fatal(err)
		}
		text := &document.Text{Body: []byte(strings.Repeat(c.unit, size/len(c.unit)))}
		begin := time.Now()
		f := NewFinder(q, nil)
		checkExcerpts(t, f, text, f.Excerpts(text, 3, 200), 3, 200)
		t.Logf("%s: %v", c.name, time.Since(begin))
	}
}

// manual returns every nth page of the PostgreSQL manual, none if it is not installed.
func manual(tb testing.TB, nth int) (pages [][]byte) {
	tb.Helper()
	names, err := filepath.Glob("/usr/share/doc/postgresql-doc-15/html/*.html")
	if err != nil {
		tb.Fatal(err)
	}
	for i, name := range names {
		if i%nth == 0 {
			page, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			pages = append(pages, page)
		}
	}
	return pages
}

func TestExcerptsOfTheManual(t *testing.T) {
	rules := testRules(t)
	for _, query := range []string{"vacuum", "index scan", `"full table"`, "transaction isolation level", "pg_stat_activity", "the of and*"} {
		f := NewFinder(testQuery(t, query), nil)
		for _, page := range manual(t, 20) {
			text, err := document.ReadText(page, "text/html", "utf-8", rules)
			if err != nil {
				t.Fatal(err)
			}
			checkExcerpts(t, f, text, f.Excerpts(text, 3, 200), 3, 200)
		}
	}
}

// TestExcerptsShowPhrases: any two words that follow each other in a page are shown together and marked if a
// query asks for them as a phrase.
func TestExcerptsShowPhrases(t *testing.T) {
	rules := testRules(t)
	random := rand.New(rand.NewPCG(5, 3))
	for _, page := range manual(t, 60) {
		text, err := document.ReadText(page, "text/html", "utf-8", rules)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		document.Tokens(string(text.Body), func(word string, _, _ int) bool {
			words = append(words, word)
			return true
		})
		for range 20 {
			i := random.IntN(len(words) - 1)
			first, second := words[i], words[i+1]
			if first == "" || second == "" {
				continue
			}
			f := NewFinder(testQuery(t, `"`+first+" "+second+`"`), nil)
			all := f.Excerpts(text, 1, 100)
			var shown []string
			for _, e := range all {
				for _, s := range e {
					if s.Term >= 0 {
						document.Tokens(s.Text, func(word string, _, _ int) bool {
							shown = append(shown, word)
							return true
						})
					} else if strings.ContainsFunc(s.Text, ofWord) {
						shown = append(shown, "-")
					}
				}
			}
			if !strings.Contains(" "+strings.Join(shown, " ")+" ", " "+first+" "+second+" ") {
				t.Errorf("%q %q: %s", first, second, writeAll(all))
			}
		}
	}
}

// BenchmarkExcerpts makes two excerpts of each page of the manual from its stored body.
func BenchmarkExcerpts(b *testing.B) {
	pages := manual(b, 1)
	if len(pages) == 0 {
		b.Skip("the package postgresql-doc-15 is not installed")
	}
	rules := testRules(b)
	for _, query := range []string{"vacuum", "index scan", `"full table scan"`, "transact*"} {
		b.Run(query, func(b *testing.B) {
			f := NewFinder(testQuery(b, query), nil)
			var reading time.Duration
			for b.Loop() {
				for _, page := range pages {
					begin := time.Now()
					text, err := document.ReadText(page, "text/html", "utf-8", rules)
					if err != nil {
						b.Fatal(err)
					}
					reading += time.Since(begin)
					f.Excerpts(text, 2, 200)
				}
			}
			n := float64(b.N * len(pages))
			b.ReportMetric(float64(b.Elapsed().Microseconds())/n, "µs/page")
			b.ReportMetric(float64(reading.Microseconds())/n, "µs-read/page")
		})
	}
}

// TestExcerptsPreferMainText: what a start page keeps around its text is shown only when nothing else has the words, nosnippet never;
// a phrase does not run over what is left out; a sentence goes before a heading.
func TestExcerptsPreferMainText(t *testing.T) {
	page := `<header>apple juice of Acme</header><h1>Apple</h1><p>Long sentences about the apple and many other things that one can eat or drink at home.</p>` +
		`<p>fresh</p><nav>Prev Home Next</nav><p>air</p><p data-nosnippet>secret apple</p><footer>Anvil Street</footer>`
	rules := testRules(t).LeavingOut(document.LeaveOut{Navigation: true, Start: true})
	text, err := document.ReadText([]byte(page), "text/html; charset=utf-8", "", rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, want string }{
		{"apple", "sentences about the apple and many other"},
		{"juice", "apple juice of Acme"},
		{"anvil", "Anvil Street"},
		{"secret", ""},
		{"next", ""},
		{"air", "fresh air"},
	} {
		q, err := query.Parse(c.query, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, e := range NewFinder(q, nil).Excerpts(text, 1, 40) {
			for _, s := range e {
				got += s.Text
			}
		}
		if !strings.HasPrefix(got, c.want) && !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", c.query, got, c.want)
		}
	}
}
