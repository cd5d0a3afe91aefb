package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// indexPage are the pages of the manual that are not in the site, because they have all entries.
var indexPage = regexp.MustCompile(`^(genindex|py-modindex|search|contents)`)

// pythonManual copies the pages of Python's manual and draws entries of its index.
func pythonManual(_ context.Context, source, site string) ([]question, error) {
	source, err := filepath.EvalSymlinks(source)
	if err != nil {
		return nil, fmt.Errorf("%w: install the package python3-doc", err)
	}
	have := map[string]bool{}
	err = filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil || indexPage.MatchString(name) {
			return err
		}
		have[filepath.ToSlash(name)] = true
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return write(filepath.Join(site, name), content)
	})
	if err != nil {
		return nil, err
	}
	index, err := os.Open(filepath.Join(source, "genindex-all.html"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = index.Close() }()
	entries, err := indexEntries(index)
	if err != nil {
		return nil, err
	}
	var all []question
	for term, pages := range entries {
		if full, short := termQueries(term); len(pages) == 1 && have[pages[0]] && full != "" {
			all = append(all, question{full, short, pages[0]})
		}
	}
	return draw(all, 6), nil
}

// indexEntries reads an index that Sphinx made: the pages of each term. An entry below another one is before it in the term.
func indexEntries(in io.Reader) (map[string][]string, error) {
	entries := map[string][]string{}
	z := html.NewTokenizer(in)
	path := map[int]string{} // the text of each level
	open := map[int]bool{}   // levels whose text is not complete
	text, href, depth, inside := "", "", 0, false
	flush := func() {
		if t := plain(text); t != "" && open[depth] {
			path[depth], open[depth] = t, false
		}
		text = ""
	}
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if z.Err() == io.EOF { //nolint:errorlint // the tokenizer returns it as it is
				return entries, nil
			}
			return nil, z.Err()
		case html.TextToken:
			text += string(z.Text())
		case html.StartTagToken:
			t := z.Token()
			if t.Data == "table" && strings.Contains(attribute(t, "class"), "genindextable") {
				inside = true
			}
			switch {
			case !inside:
			case t.Data == "ul":
				flush()
				depth++
			case t.Data == "li":
				path[depth], open[depth], text = "", true, ""
			case t.Data == "a":
				href = attribute(t, "href")
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			switch {
			case !inside:
			case string(name) == "a" && href != "":
				flush()
				var term []string
				for level := depth; level > 0; level-- {
					if path[level] != "" {
						term = append(term, path[level])
					}
				}
				page, _, _ := strings.Cut(href, "#")
				if key := strings.Join(term, " "); !slices.Contains(entries[key], page) {
					entries[key] = append(entries[key], page)
				}
				href = ""
			case string(name) == "ul":
				depth--
			case string(name) == "table":
				inside, path = false, map[int]string{}
			}
		}
	}
}

var (
	letters = regexp.MustCompile(`[A-Za-z]{2}`)
	// member is an entry such as get() (asyncio.Queue method) or abort() (in module os).
	member = regexp.MustCompile(`^(\S+?)(?:\(\))? \((?:(?:class )?in module )?([\w.]+)?\s*([\w -]*)\)$`)
)

// termQueries returns what people write for an entry of the index: all of it, and the object and the name.
func termQueries(term string) (full, short string) {
	if !letters.MatchString(term) {
		return "", ""
	}
	full = plain(strings.NewReplacer("()", "", "(", " ", ")", " ").Replace(term))
	m := member.FindStringSubmatch(term)
	if m == nil {
		return full, full
	}
	if slices.Contains([]string{"built", "built-in", "C", "module", "opcode", "class", "in"}, m[2]) {
		m[2] = ""
	}
	return full, plain(m[2] + " " + m[1])
}

// questionsOf is the number of questions of a collection.
const questionsOf = 400

// draw draws questions, at most some for a page, and always the same ones.
func draw(all []question, most int) (drawn []question) {
	slices.SortFunc(all, func(a, b question) int { return cmp.Or(cmp.Compare(a.full, b.full), cmp.Compare(a.page, b.page)) })
	r := rand.New(rand.NewPCG(42, 1))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	of := map[string]int{}
	for _, q := range all {
		if of[q.page]++; of[q.page] <= most && len(drawn) < questionsOf {
			drawn = append(drawn, q)
		}
	}
	return drawn
}

// plain replaces all runs of blanks by one.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func write(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}
