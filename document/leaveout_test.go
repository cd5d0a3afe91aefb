package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// enough is text of which nothing is left out, so much that a page remains one without everything else.
var enough = "<p>" + strings.Repeat("content of the page ", 10)

// mainWords returns the words of a page other than those of enough, and what was left out.
func mainWords(t *testing.T, page string, leave LeaveOut) (words, left string) {
	t.Helper()
	r := newRules(t, Rules{}).LeavingOut(leave)
	d, err := Parse([]byte(page), "text/html; charset=utf-8", r)
	if err != nil {
		t.Fatal(err)
	}
	sameWords(t, page, []byte(page), "text/html; charset=utf-8", r)
	var list []string
	for _, w := range d.Words {
		if !slices.Contains([]string{"content", "of", "the", "page"}, w.Text) {
			list = append(list, w.Text)
		}
	}
	for _, l := range d.LeftOut {
		left += fmt.Sprintf("%s %d ", l.By, l.Words)
	}
	return strings.Join(list, " "), strings.TrimSpace(left)
}

// TestLeaveOut: each rule of the table, and where its elements end.
func TestLeaveOut(t *testing.T) {
	for _, c := range []struct{ name, page, words, left string }{
		{"nav", "<nav>a b</nav>c", "c", "nav 2"},
		{"in capitals", "<NAV>a</NAV>c<DIV HIDDEN>b</DIV>", "c", "nav 1 hidden 1"},
		{"a table of contents", "<nav>a <ul><li><a href='#b'>b <i>c</i></a><li><a href=/d#d>d</a> e</ul></nav><ul role=navigation><li><a href=#f>f</a></ul>", "b c f", "nav 3"},
		{"hidden in it", "<p hidden><a href=#b>b</a></p>c", "c", "hidden 1"},
		{"nested", "<nav>a<nav>b</nav>c</nav>d", "d", "nav 3"},
		{"footer", "<footer>a</footer>b", "b", "footer 1"},
		{"of an article", "<article><header>a</header>b<footer>c</footer></article><footer>d</footer>", "a b c", "footer 1"},
		{"of main", "<main><footer>a</footer></main><div role=main><header>b</header></div><header>c</header>", "a b", "header 1"},
		{"headings of a header", "<header><p>a<h1>b <i>c</i></h1><h2>d</h2><h3>e</h3><h4>f</h4>g</header>h", "b c d e h", "header 3"},
		{"but not of its navigation", "<header><nav><h2>a</h2></nav><h1>b</h1></header>", "b", "nav 1"},
		{
			"roles", "<div role=navigation>a</div><ul role='BANNER'><h1>b</h1>c</ul><p role=contentinfo>d</p>e<div role=note>f</div>", "b e f",
			"role=navigation 1 role=banner 1 role=contentinfo 1",
		},
		{
			"DocBook", "<div class=navheader><table><tr><td>a</table></div>b<div class=\"x navfooter\">c</div><p class=navheader>d", "b d",
			"div.navheader 1 div.navfooter 1",
		},
		{"hidden", "<p hidden>a</p><p hidden=hidden>b</p><p hidden=until-found>c</p><p hidden role=tabpanel>d</p>e", "c d e", "hidden 2"},
		{"aria-hidden", "<span aria-hidden=true>a</span><span aria-hidden=false>b</span><svg aria-hidden=true><title>c</title></svg>d", "b d", "aria-hidden 2"},
		{"words only", "title=hidden <p title='hidden nav'>a <i class=hidden>b", "a b hidden title", ""},
		{"comments", "<!--noindex-->a<!--/noindex-->b<!--googleoff: index-->c<!--googleon: index-->d<!-- GoogleOff:all -->e<!-- googleon:all -->f " +
			"<!--googleoff: anchor-->g <!--googleoff: snippet-->h", "b d f g h", "noindex, googleoff 3"},

		{"a paragraph that a block ends", "<p hidden>a<b>b</b><div>c</div>d", "c d", "hidden 2"},
		{"an item that the next one ends", "<ul><li hidden>a<ul><li>b</ul>c<li>d<li hidden>e</ul>f", "d f", "hidden 4"},
		{"a cell", "<table><tr><td hidden>a<table><tr><td>b</table>c<td>d<tr><td hidden>e<tr><td>f</table>g", "d f g", "hidden 4"},
		{"a row", "<table><tr hidden><td>a<td>b<tr><td>c</table>", "c", "hidden 2"},
		{"an element that its parent ends", "<div><nav>a<div>b</div>c</div>d", "d", "nav 3"},
		{"not by an end tag of nothing", "<nav>a</div></p></b></section>b</nav>c", "c", "nav 2"},
		{"inline elements do not end blocks", "<span hidden>a<div>b</span>c</div>d</span>e", "e", "hidden 4"},
		{"cells keep their end tags", "<nav><table><tr><td>a</nav>b</table>c</nav>d", "d", "nav 3"},
		{"never closed", "c<nav>a<p>b", "c", "nav 2"},
		{"void elements have no content", "<br hidden>a<img role=navigation>b<input aria-hidden=true>c<hr hidden>d", "a b c d", ""},
		{"templates", "<template><nav>a</template>b", "b", ""},
		{"the whole page is none", "<body hidden>a", "a", ""},
		{
			"attributes as people write them", "<div\nid=x\trole = \"navigation\"/>a</div><div role=>b</div><div = role>c</div><div class='a>b' hidden>d</div>e", "b c e",
			"role=navigation 1 hidden 1",
		},
		{"nosnippet is indexed", "<p data-nosnippet>a</p>b", "a b", ""},
	} {
		page := enough + "</p>" + c.page
		if strings.HasPrefix(c.page, "<body") {
			page = c.page + enough
		}
		words, left := mainWords(t, page, LeaveOut{Navigation: true})
		if words != c.words || left != c.left {
			t.Errorf("%s: words %q, left out %q; want %q, %q", c.name, words, left, c.words, c.left)
		}
		if _, left := mainWords(t, page, LeaveOut{}); left != "" {
			t.Errorf("%s: left out %q with KeepNavigation", c.name, left)
		}
	}
}

// TestLeaveOutStart: the start page of a site keeps its header and its footer, and no more.
func TestLeaveOutStart(t *testing.T) {
	page := "<header>a<nav>b</nav></header>" + enough + "<div role=contentinfo>c <b><a href=/>f</a></b></div><footer>d <a>g</a> <a href=mailto:h>h</a>" +
		"<a HREF='/cookies'>i</a></footer><p hidden>e</p><a href=/>j</a>"
	if words, left := mainWords(t, page, LeaveOut{Navigation: true, Start: true}); words != "a c d g h j" || left != "nav 1 hidden 1 a in header or footer 2" {
		t.Errorf("words %q, left out %q", words, left)
	}
}

// TestLeaveOutTooMuch: a page of which nothing, or too little, would be left is indexed whole.
func TestLeaveOutTooMuch(t *testing.T) {
	long := strings.Repeat("word ", 200)
	for _, c := range []struct {
		name, page string
		whole      bool
	}{
		{"nothing is left", "<nav>" + long + "</nav>", true},
		{"19 words", strings.Repeat("a ", 19) + "<nav>b</nav>", true},
		{"20 words", strings.Repeat("a ", 20) + "<nav>b</nav>", false},
		{"20 words of two parts", strings.Repeat("a ", 10) + "<nav>b</nav>" + strings.Repeat("a ", 9), true},
		{"less than a tenth", strings.Repeat("a ", 22) + "<nav>" + long + "</nav>", true},
		{"a tenth", strings.Repeat("a ", 23) + "<nav>" + long + "</nav>", false},
		{"comments are not asked", "a<!--noindex-->" + long + "<!--/noindex-->", false},
	} {
		r := newRules(t, Rules{}).LeavingOut(LeaveOut{Navigation: true})
		d, err := Parse([]byte(c.page), "text/html", r)
		if err != nil {
			t.Fatal(err)
		}
		if d.Whole != c.whole || len(d.LeftOut) != 1 {
			t.Errorf("%s: whole %v, left out %v", c.name, d.Whole, d.LeftOut)
		}
		sameWords(t, c.name, []byte(c.page), "text/html", r)
	}
}

// TestLeaveOutSelectors: those of the configuration.
func TestLeaveOutSelectors(t *testing.T) {
	selectors, err := ParseSelectors([]string{"ASIDE", ".menu", "td.side", "#foot", "[data-ad]", `[rel="tag"]`, "a[role=x]"})
	if err != nil {
		t.Fatal(err)
	}
	page := enough + `<aside>a</aside><div class="x menu">b</div><table><tr><td class=side>c<td>d</table><p class=side>e<p id=foot>f<p><i data-ad>g</i>` +
		`<a rel=tag>h</a><a rel=next>i</a><nav>j</nav><a role=x>k</a><b role=x>l</b>`
	words, left := mainWords(t, page, LeaveOut{Selectors: selectors})
	if words != "d e i j l" || left != `LeaveOut ASIDE 1 LeaveOut .menu 1 LeaveOut td.side 1 LeaveOut #foot 1 LeaveOut [data-ad] 1 LeaveOut [rel="tag"] 1 `+
		`LeaveOut a[role=x] 1` {
		t.Errorf("words %q, left out %q", words, left)
	}
	if words, _ := mainWords(t, page, LeaveOut{Selectors: selectors, Navigation: true}); words != "d e i l" {
		t.Errorf("words %q with navigation left out", words)
	}
}

func TestSelectorsRefused(t *testing.T) {
	for _, text := range []string{
		"", ".", "#", "[", "[]", "[a", "a]", "[=b]", "[a=]", "div p", "div>p", "div,p", "a:hover", "*", "a.b.c", "a#b.c", ".a[b]", "[a=b c]", "[a~=b]", "html", "BODY.x", "a\x00b",
	} {
		if got, err := ParseSelectors([]string{"div", text}); err == nil {
			t.Errorf("%q is read as %q", text, got)
		}
	}
	if _, err := ParseSelectors(make([]string, MaxSelectors+1)); err == nil || !strings.Contains(err.Error(), "51 selectors are more than 50") {
		t.Error(err)
	}
}

// TestGap: a phrase does not run over what is left out.
func TestGap(t *testing.T) {
	page := "<nav>x</nav>" + enough + "one<nav> menu </nav><nav> - </nav>two<span aria-hidden=true>#</span>three <b hidden>y</b>four"
	d, err := Parse([]byte(page), "text/html", newRules(t, Rules{}).LeavingOut(LeaveOut{Navigation: true}))
	if err != nil {
		t.Fatal(err)
	}
	at := func(word string) int { return int(find(d, word).Positions[0]) }
	// Nothing between two and three is a word.
	got := []int{at("two") - at("one"), at("three") - at("two"), at("four") - at("three")}
	if diff := cmp.Diff([]int{2, 1, 2}, got); diff != "" {
		t.Error(diff)
	}
}

// TestTextOfMain: the beginning of the text that is shown is content, if there is some.
func TestTextOfMain(t *testing.T) {
	leave := LeaveOut{Navigation: true, Start: true}
	for _, c := range []struct{ name, page, want string }{
		{"content before the header", "<header>About us</header>" + enough, strings.Repeat("content of the page ", 10)},
		{"nosnippet", "<p data-nosnippet>secret</p>" + enough, strings.Repeat("content of the page ", 10)},
		{"nothing else", "<nav>Prev Next</nav><footer>About</footer>", "Prev Next About"},
		{"too little", "<nav>Prev Next</nav>Hello", "Hello"},
	} {
		d, err := Parse([]byte("<body>"+c.page), "text/html", newRules(t, Rules{}).LeavingOut(leave))
		if err != nil {
			t.Fatal(err)
		}
		if d.Text != strings.TrimSpace(c.want) {
			t.Errorf("%s: %q", c.name, d.Text)
		}
	}
}

// TestReadTextOfMain: offsets of what excerpts show last, and of what they never show.
func TestReadTextOfMain(t *testing.T) {
	page := "<header>one<h1>two</h1></header><p>" + strings.Repeat("w ", 20) + "<i data-nosnippet>three</i><footer>four</footer>"
	text, err := ReadText([]byte(page), "text/html", "", newRules(t, Rules{}).LeavingOut(LeaveOut{Navigation: true, Start: true}))
	if err != nil {
		t.Fatal(err)
	}
	parts := func(ranges [][2]int) (list []string) {
		for _, r := range ranges {
			list = append(list, strings.TrimSpace(string(text.Body[r[0]:r[1]])))
		}
		return list
	}
	if diff := cmp.Diff([][]string{{"one", "four"}, {"three"}}, [][]string{parts(text.Aside), parts(text.Quiet)}); diff != "" {
		t.Error(diff)
	}
}

// TestLeaveOutWalk: a copy shows what is left out, without marks.
func TestLeaveOutWalk(t *testing.T) {
	page := "<nav>menu</nav>" + strings.Repeat("w ", 20)
	for _, few := range []bool{false, true} {
		if few {
			page = "<nav>menu</nav>w"
		}
		v := &textVisitor{}
		if _, err := Walk([]byte(page), "text/html", "", newRules(t, Rules{}).LeavingOut(LeaveOut{Navigation: true}), v); err != nil {
			t.Fatal(err)
		}
		if indexed := v.at[0] >= 0; v.texts[0] != "menu" || indexed != few || len(v.texts) != 2 {
			t.Errorf("texts %q at %v", v.texts, v.at)
		}
	}
}

type textVisitor struct {
	texts []string
	at    []int
}

func (*textVisitor) StartTag(*Tag) {}
func (*textVisitor) EndTag(*Tag)   {}
func (v *textVisitor) Text(text []byte, at int) {
	v.texts, v.at = append(v.texts, string(text)), append(v.at, at)
}

// TestB70 regions of a hostile page: deep, unclosed, crosswise, with many attributes and selectors. The time is linear.
func TestB70(t *testing.T) {
	r := newRules(t, Rules{IndexLimit: MaxIndexLimit, MinWordLength: 1}).LeavingOut(LeaveOut{Navigation: true, Selectors: strings.Repeat(".a #b ", 20)})
	const size = 2_000_000
	for _, c := range []struct{ name, before, part string }{
		{"navigation in navigation", "", "<nav>a"},
		{"hidden items", "", "<li hidden>a"},
		{"hidden inline elements", "", "<b hidden>a"},
		{"end tags of nothing", strings.Repeat("<section>", 600), "</x>a"},
		{"inline end tags of nothing", strings.Repeat("<i hidden>", 600), "</b>"},
		{"crosswise", "", "<nav><b hidden></nav></b>a"},
		{"attributes", "<p ", "hidden=x "},
		{"quotes", "", "<p hidden='a"},
		{"headers of articles", "", "<article><header>a<h1>b"},
		{"gaps", "", "a<i hidden>b</i>"},
		{"comments", "", "<!--googleoff: index-->a<!--googleon: index-->"},
	} {
		page := []byte(c.before + strings.Repeat(c.part, size/len(c.part)))
		began := time.Now()
		d, err := Parse(page, "text/html; charset=utf-8", r)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: %v", c.name, took)
		}
		check(t, d, r)
		sameWords(t, c.name, page, "text/html; charset=utf-8", r)
	}
}
