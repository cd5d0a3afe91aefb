package web

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// invalid returns what is wrong with a page: it must be well-formed in the strict sense (every element closed
// in order), accessible, and without anything that the policy forbids. It knows only the HTML that the pages
// use.
func invalid(page string) []string {
	c := &htmlCheck{ids: map[string]bool{}}
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		raw := string(z.Raw()) // before Token, which may change it
		t := z.Token()
		switch kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				c.say("%v", z.Err())
			}
			c.end()
			return c.wrong
		case html.DoctypeToken:
			c.doctype = strings.EqualFold(t.Data, "html")
		case html.StartTagToken, html.SelfClosingTagToken:
			c.start(t, raw)
		case html.EndTagToken:
			c.close(t.Data)
		case html.TextToken:
			c.text(t.Data)
		case html.CommentToken:
			c.say("a comment: %q", t.Data)
		}
	}
}

type htmlElement struct {
	name string
	attr map[string]string
	text string // visible, including that of inner elements
}

type htmlCheck struct {
	wrong    []string
	open     []htmlElement
	ids      map[string]bool
	refs     []string // ids that must exist
	controls []htmlElement
	labelled map[string]bool
	levels   []int
	seen     []string // names of all elements
	navs     []string // labels
	doctype  bool
	title    string
}

func (c *htmlCheck) say(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

var (
	voidElements  = strings.Fields("meta link input br hr img")
	knownElements = strings.Fields(`html head title meta link body a header main footer nav form label input button h1 h2 h3 p pre
		dl div dt dd ol ul li article section small bdi i b strong mark span time details summary table thead tbody tfoot tr th td
		fieldset legend select option progress code svg path`)
	blockElements = strings.Fields("p dl div ol ul table h1 h2 h3 form fieldset nav section article header footer main details")
	phrasing      = strings.Fields("p h1 h2 h3 a span bdi i b strong small mark code time label summary dt button legend")
	parents       = map[string]string{
		"li": "ol ul", "dt": "dl div", "dd": "dl div", "tr": "thead tbody tfoot", "td": "tr", "th": "tr", "thead": "table", "tbody": "table",
		"tfoot": "table", "option": "select", "legend": "fieldset", "summary": "details", "main": "body", "title": "head",
	}
	children = map[string]string{
		"ol": "li", "ul": "li", "dl": "div dt dd", "table": "thead tbody tfoot", "tr": "th td", "select": "option",
		"thead": "tr", "tbody": "tr", "tfoot": "tr",
	}
	neverInside = map[string]string{"a": "a button", "button": "a button label", "form": "form", "label": "label", "main": "main"}
	attrNames   = regexp.MustCompile(`\s([^\s"'=<>/]+)(?:="[^"]*")?`)
	rawTag      = regexp.MustCompile(`^<[a-z][a-z0-9]*(?:\s+[a-zA-Z-]+(?:="[^"<]*")?)*\s*>$`)
)

func (c *htmlCheck) start(t html.Token, raw string) {
	if !rawTag.MatchString(raw) {
		c.say("a tag that is not strict: %s", raw)
	}
	e := htmlElement{name: t.Data, attr: map[string]string{}}
	var names []string
	for _, m := range attrNames.FindAllStringSubmatch(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(raw, `""`), -1) {
		if slices.Contains(names, m[1]) {
			c.say("%s has %s twice", t.Data, m[1])
		}
		names = append(names, m[1])
	}
	for _, a := range t.Attr {
		e.attr[a.Key] = a.Val
		c.attribute(t.Data, a)
	}
	c.place(e)
	c.meaning(e)
	c.seen = append(c.seen, t.Data)
	if !slices.Contains(voidElements, t.Data) {
		c.open = append(c.open, e)
	}
}

func (c *htmlCheck) attribute(element string, a html.Attribute) {
	switch {
	case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
		c.say("%s has the attribute %s, which the policy forbids", element, a.Key)
	case a.Key == "id":
		if c.ids[a.Val] || a.Val == "" || strings.ContainsAny(a.Val, " \t\n") {
			c.say("id %q is not unique, or none", a.Val)
		}
		c.ids[a.Val] = true
	case slices.Contains([]string{"for", "aria-describedby", "aria-labelledby"}, a.Key):
		c.refs = append(c.refs, strings.Fields(a.Val)...)
	case a.Val == "#ZgotmplZ": // html/template's replacement of an unsafe address
	case a.Key == "href" || a.Key == "action" || a.Key == "src":
		if id, ok := strings.CutPrefix(a.Val, "#"); ok && id != "" {
			c.refs = append(c.refs, id)
			return
		}
		own := strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "//")
		web := strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "https://")
		if !own && (!web || element != "a") {
			c.say("%s leads to %q", element, a.Val)
		}
	}
}

// place checks the nesting of an element.
func (c *htmlCheck) place(e htmlElement) {
	if !slices.Contains(knownElements, e.name) {
		c.say("element %s", e.name)
	}
	if len(c.open) == 0 {
		if e.name != "html" {
			c.say("%s outside of html", e.name)
		}
		return
	}
	parent := c.open[len(c.open)-1].name
	if want := parents[e.name]; want != "" && !slices.Contains(strings.Fields(want), parent) {
		c.say("%s in %s", e.name, parent)
	}
	if want := children[parent]; want != "" && !slices.Contains(strings.Fields(want), e.name) {
		c.say("%s in %s", e.name, parent)
	}
	for _, o := range c.open {
		if slices.Contains(strings.Fields(neverInside[e.name]), o.name) {
			c.say("%s inside %s", e.name, o.name)
		}
	}
	if slices.Contains(phrasing, parent) && slices.Contains(blockElements, e.name) {
		c.say("%s in %s", e.name, parent)
	}
}

// meaning checks the attributes and texts that make an element accessible.
func (c *htmlCheck) meaning(e htmlElement) {
	switch e.name {
	case "html":
		if e.attr["lang"] == "" {
			c.say("html without lang")
		}
	case "h1", "h2", "h3":
		c.levels = append(c.levels, int(e.name[1]-'0'))
	case "input", "select", "textarea":
		if e.attr["type"] == "hidden" {
			return
		}
		for _, o := range c.open {
			if o.name == "label" {
				return
			}
		}
		c.controls = append(c.controls, e)
	case "img":
		if _, ok := e.attr["alt"]; !ok {
			c.say("img without alt")
		}
	case "th":
		if e.attr["scope"] == "" {
			c.say("th without scope")
		}
	case "nav":
		c.navs = append(c.navs, e.attr["aria-label"])
	case "progress":
		if e.attr["aria-label"] == "" {
			c.say("progress without a name")
		}
	case "a":
		if e.attr["href"] == "" {
			c.say("a without href")
		}
	}
}

func (c *htmlCheck) text(s string) {
	for i := range c.open {
		c.open[i].text += s
	}
	if len(c.open) == 0 && strings.TrimSpace(s) != "" {
		c.say("text outside of html: %q", s)
	}
	if len(c.open) > 0 && children[c.open[len(c.open)-1].name] != "" && strings.TrimSpace(s) != "" {
		c.say("text in %s: %q", c.open[len(c.open)-1].name, s)
	}
}

func (c *htmlCheck) close(name string) {
	if len(c.open) == 0 || c.open[len(c.open)-1].name != name {
		c.say("</%s> closes nothing", name)
		return
	}
	e := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	switch name {
	case "title":
		c.title = strings.TrimSpace(e.text)
	case "label":
		if c.labelled == nil {
			c.labelled = map[string]bool{}
		}
		c.labelled[e.attr["for"]] = true
		fallthrough
	case "a", "button", "h1", "h2", "h3", "summary", "th", "option", "legend", "dt":
		if strings.TrimSpace(e.text) == "" {
			c.say("%s without text", name)
		}
	}
}

func (c *htmlCheck) end() {
	for _, e := range c.open {
		c.say("%s is not closed", e.name)
	}
	if !c.doctype {
		c.say("no doctype")
	}
	if c.title == "" {
		c.say("no title")
	}
	for _, id := range c.refs {
		if !c.ids[id] {
			c.say("no element has the id %q", id)
		}
	}
	for _, e := range c.controls {
		if e.attr["aria-label"] == "" && (!c.labelled[e.attr["id"]] || e.attr["id"] == "") {
			c.say("%s %q has no label", e.name, e.attr["name"])
		}
	}
	for i, level := range c.levels {
		if i == 0 && level != 1 || i > 0 && (level == 1 || level > c.levels[i-1]+1) {
			c.say("heading %d has level %d: %v", i+1, level, c.levels)
		}
	}
	if len(c.levels) == 0 {
		c.say("no heading")
	}
	for _, name := range []string{"main", "footer", "title"} {
		if n := len(slices.DeleteFunc(slices.Clone(c.seen), func(s string) bool { return s != name })); n != 1 {
			c.say("%d elements %s", n, name)
		}
	}
	slices.Sort(c.navs)
	if slices.Contains(c.navs, "") || len(slices.Compact(slices.Clone(c.navs))) != len(c.navs) {
		c.say("landmarks nav without a name of their own: %q", c.navs)
	}
}
