package reader

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown is CommonMark with the tables, footnotes and bare links of GitHub. HTML in it is kept.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.Footnote, extension.DefinitionList),
		goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(tagFilter{}, 100))),
	)
})

// readMarkdown reads Markdown. Its title is the one of its front matter, else its first heading of the first level. A text that would take
// the parser long is read as plain text.
func readMarkdown(ctx context.Context, s Source, o Options) (Text, error) {
	body, more, err := o.source(s)
	if err != nil {
		return Text{}, err
	}
	body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
	p := newPage(s, o)
	body = p.frontMatter(body)
	if isCostly(body) {
		return Text{Body: body, ContentType: "text/plain; charset=utf-8", Truncated: more}, nil
	}
	tree := markdown().Parser().Parse(text.NewReader(body))
	if ctx.Err() != nil {
		return Text{}, context.Cause(ctx)
	}
	if p.title == "" {
		p.title = firstHeading(tree, body)
	}
	var out bytes.Buffer
	if err := markdown().Renderer().Render(&out, body, tree); err != nil {
		return Text{}, err
	}
	p.body = out.Bytes()
	t := p.done()
	t.Truncated = t.Truncated || more
	return t, nil
}

// frontMatter reads the lines "key: value" (YAML) or "key = value" (TOML) at the head of a text, and returns the rest.
func (p *page) frontMatter(body []byte) []byte {
	fence, separator := "---", ":"
	if bytes.HasPrefix(body, []byte("+++\n")) {
		fence, separator = "+++", "="
	} else if !bytes.HasPrefix(body, []byte("---\n")) {
		return body
	}
	matter, rest, ok := bytes.Cut(body[len(fence)+1:], []byte("\n"+fence+"\n"))
	if !ok || len(matter) > 64<<10 || !frontLine.Match(matter) {
		return body
	}
	into := map[string]*string{
		"title": &p.title, "description": &p.description, "summary": &p.description, "author": &p.author, "keywords": &p.keywords,
		"tags": &p.keywords, "lang": &p.lang, "language": &p.lang, "date": &p.created, "lastmod": &p.modified, "updated": &p.modified,
	}
	for line := range strings.SplitSeq(string(matter), "\n") {
		key, value, ok := strings.Cut(line, separator)
		if to := into[strings.ToLower(strings.TrimSpace(key))]; ok && to != nil && *to == "" {
			value = strings.Trim(strings.TrimSpace(value), "[]")
			*to = strings.ReplaceAll(strings.Trim(value, `"'`), `", "`, ", ")
		}
	}
	return rest
}

// frontLine is a line of front matter; a text that begins with a rule has none.
var frontLine = regexp.MustCompile(`(?m)^[A-Za-z][\w.-]*\s*[:=]`)

// Limits of what the parser is given: its time grows with the square of these.
const (
	mostMarks     = 100       // of quotes and lists at the beginning of a line
	mostIndented  = 400       // columns before a mark
	mostOpen      = 2000      // brackets and marks of emphasis in a paragraph
	mostFootnotes = 2000      // and uses of them
	mostCells     = 1_000_000 // columns of the widest row, times the lines
)

// isCostly reports whether a text takes the parser long. No text that people write does.
func isCostly(body []byte) bool {
	open, lines, columns := 0, 0, 0
	for line := range bytes.Lines(body) {
		lines++
		columns = max(columns, bytes.Count(line, []byte("|")))
		rest := bytes.TrimLeft(line, " \t")
		if len(bytes.TrimSpace(rest)) == 0 {
			open = 0
			continue
		}
		content := bytes.TrimLeft(rest, "> \t-+*0123456789.)")
		begin := rest[:len(rest)-len(content)]
		marks := bytes.Count(begin, []byte(">"))
		for _, mark := range []string{"- ", "+ ", "* ", ". ", ") ", "-\t", "+\t", "*\t", ".\t", ")\t"} {
			marks += bytes.Count(begin, []byte(mark))
		}
		if marks > mostMarks || marks > 0 && len(line)-len(rest) > mostIndented {
			return true
		}
		if marks > 0 || len(content) > 0 && (content[0] == '#' || content[0] == '|') {
			open = 0 // not in the paragraph before
		}
		for _, c := range line {
			switch c {
			case '[', '*', '_', '~', '`', '<':
				open++
			}
		}
		if open > mostOpen {
			return true
		}
	}
	return bytes.Count(body, []byte("[^")) > mostFootnotes || columns*lines > mostCells
}

// firstHeading returns the text of the first heading of the first level, else of the first heading.
func firstHeading(tree ast.Node, source []byte) string {
	var found ast.Node
	for n := tree.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && (found == nil || h.Level == 1) {
			if found = n; h.Level == 1 {
				break
			}
		}
	}
	if found == nil {
		return ""
	}
	var title strings.Builder
	_ = ast.Walk(found, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if leaf, ok := n.(*ast.Text); ok && entering {
			title.Write(leaf.Value(source))
			if leaf.SoftLineBreak() || leaf.HardLineBreak() {
				title.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return blanks(title.String())
}

// tagFilter writes HTML in Markdown as it is, without the elements that would swallow the text behind them. Writers who name <title>
// or <script> in a sentence mean the name (GitHub's Markdown, Disallowed Raw HTML).
type tagFilter struct{}

var swallowing = regexp.MustCompile(`(?i)<(/?(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext|template))\b`)

func (tagFilter) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			if err := writeFiltered(w, n.(*ast.RawHTML).Segments, source); err != nil {
				return ast.WalkStop, err
			}
		}
		return ast.WalkSkipChildren, nil
	})
	to.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		block := n.(*ast.HTMLBlock)
		if entering {
			if err := writeFiltered(w, block.Lines(), source); err != nil {
				return ast.WalkStop, err
			}
		} else if block.HasClosure() {
			_, _ = w.Write(swallowing.ReplaceAll(block.ClosureLine.Value(source), []byte("&lt;$1")))
		}
		return ast.WalkContinue, nil
	})
}

func writeFiltered(w util.BufWriter, lines *text.Segments, source []byte) error {
	for i := range lines.Len() {
		line := lines.At(i)
		if _, err := w.Write(swallowing.ReplaceAll(line.Value(source), []byte("&lt;$1"))); err != nil {
			return err
		}
	}
	return nil
}
