package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	xhtml "golang.org/x/net/html"
)

// manSections are the sections of the manual that are taken. Of section 3, which has a page for each function of each library,
// only the Linux man-pages are.
var manSections = []string{"1", "2", "3", "4", "5", "7", "8"}

var (
	nameSection = regexp.MustCompile(`(?s)<section class="Sh">\s*<h[12][^>]*id="NAME".*?</section>`)
	nameAndWhat = regexp.MustCompile(`^NAME (.*?)\s+[-–—]+\s+(.*)$`)
)

// A manPage is a page without its description.
type manPage struct {
	file, what string
	words      map[string]bool
}

// manualPages writes the manual pages of a machine as HTML, without their descriptions, and lists that link to them.
func manualPages(ctx context.Context, source, site string) ([]question, error) {
	if _, err := exec.LookPath("mandoc"); err != nil {
		return nil, fmt.Errorf("%w: install the package mandoc", err)
	}
	var pages []manPage
	for _, section := range manSections {
		files, err := os.ReadDir(filepath.Join(source, "man"+section))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, f := range files {
			// gcloud has 16,000 pages, several times as many as all other programs.
			if !f.Type().IsRegular() || !strings.HasSuffix(f.Name(), "."+section+".gz") || strings.HasPrefix(f.Name(), "gcloud") {
				continue
			}
			p, content, err := manualPage(ctx, filepath.Join(source, "man"+section, f.Name()))
			if err != nil {
				return nil, err
			}
			if p == nil {
				continue
			}
			if err := write(filepath.Join(site, filepath.FromSlash(p.file)), content); err != nil {
				return nil, err
			}
			pages = append(pages, *p)
		}
	}
	if len(pages) < 2*questionsOf {
		return nil, fmt.Errorf("%s has %d manual pages, at least %d are needed: install the packages manpages and manpages-dev, without path-exclude in dpkg's configuration",
			source, len(pages), 2*questionsOf)
	}
	var list bytes.Buffer
	list.WriteString(`<!DOCTYPE html><meta name="robots" content="noindex,follow"><title>list</title>`)
	for _, p := range pages {
		fmt.Fprintf(&list, "<a href=%q>.</a> ", p.file)
	}
	return questionsAbout(pages), write(filepath.Join(site, "index.html"), list.Bytes())
}

// manualPage returns a page as HTML, or nil for one that is not taken.
func manualPage(ctx context.Context, path string) (*manPage, []byte, error) {
	raw, err := unpack(path)
	if err != nil {
		return nil, nil, err
	}
	if bytes.HasPrefix(raw, []byte(".so ")) || strings.Contains(path, "/man3/") && !bytes.Contains(raw, []byte("Linux man-pages")) {
		return nil, nil, nil
	}
	mandoc := exec.CommandContext(ctx, "mandoc", "-T", "html", "-O", "man=%N.%S.html")
	mandoc.Stdin = bytes.NewReader(raw)
	page, err := mandoc.Output() // it exits with 2 and more for what it does not understand
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, nil, err
	}
	name := nameSection.Find(page)
	said := nameAndWhat.FindStringSubmatch(textOf(name))
	if said == nil {
		return nil, nil, nil
	}
	page = bytes.Replace(page, name, []byte("<p>"+html.EscapeString(said[1])+"</p>"), 1)
	p := &manPage{file: "d/" + strings.TrimSuffix(filepath.Base(path), ".gz") + ".html", what: said[2], words: map[string]bool{}}
	for _, w := range wordsOf(textOf(page)) {
		p.words[w] = true
	}
	return p, page, nil
}

func unpack(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return io.ReadAll(z)
}

// questionsAbout draws pages whose description is theirs alone and has at least two words that are not in most pages.
func questionsAbout(pages []manPage) []question {
	same, in := map[string]int{}, map[string]int{}
	for _, p := range pages {
		same[strings.ToLower(p.what)]++
		for w := range p.words {
			in[w]++
		}
	}
	var all []question
	for _, p := range pages {
		words := wordsOf(p.what)
		words = slices.DeleteFunc(words, func(w string) bool { return len(w) < 2 || in[w] > len(pages)/2 })
		if same[strings.ToLower(p.what)] == 1 && len(words) >= 2 && len(p.what) < 160 {
			all = append(all, question{p.what, rarest(words, in), p.file})
		}
	}
	return draw(all, 1)
}

// rarest returns the two rarest of some words, or three of five and more, in their order. Words that fewer than three
// documents have do not count, because a person who searches does not know them.
func rarest(words []string, in map[string]int) string {
	var known []string
	for _, w := range words {
		if in[w] >= 3 && !slices.Contains(known, w) {
			known = append(known, w)
		}
	}
	most := 2
	if len(known) >= 5 {
		most = 3
	}
	best := slices.Clone(known)
	slices.SortFunc(best, func(a, b string) int { return cmp.Or(cmp.Compare(in[a], in[b]), cmp.Compare(a, b)) })
	best = best[:min(most, len(best))]
	known = slices.DeleteFunc(known, func(w string) bool { return !slices.Contains(best, w) })
	if len(known) == 0 {
		return strings.Join(words, " ")
	}
	return strings.Join(known, " ")
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// inline are the elements that do not end a word.
var inline = []string{"b", "i", "em", "code", "span", "a", "tt", "var"}

// textOf returns the text of HTML.
func textOf(page []byte) string {
	var text strings.Builder
	z := xhtml.NewTokenizer(bytes.NewReader(page))
	hidden := false
	for {
		switch z.Next() {
		case xhtml.ErrorToken:
			return plain(text.String())
		case xhtml.TextToken:
			if !hidden {
				text.Write(z.Text())
			}
		case xhtml.StartTagToken, xhtml.EndTagToken, xhtml.SelfClosingTagToken:
			t := z.Token()
			if t.Data == "style" || t.Data == "script" {
				hidden = t.Type == xhtml.StartTagToken
			}
			if !slices.Contains(inline, t.Data) {
				text.WriteByte(' ')
			}
		}
	}
}
