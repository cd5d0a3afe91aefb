package program

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/store/crawl"
)

// limits are -s, -t, -u and -f. A file of -f without a pattern is an error when -u has none either: no limit would mean all URLs.
func (p *program) limits() (crawl.Limits, error) {
	l := crawl.Limits{Statuses: p.o.statuses, Tags: p.o.tags, Tmpurl: p.o.tmpurl}
	for _, typed := range p.o.urls {
		pattern, err := urlPattern(typed)
		if err != nil {
			return crawl.Limits{}, usageError(fmt.Sprintf("-u %q: %v", withoutPassword(typed), err))
		}
		l.URLs = append(l.URLs, pattern)
	}
	if p.o.file == "" {
		return l, nil
	}
	list, err := p.readList()
	if err != nil {
		return crawl.Limits{}, err
	}
	for _, e := range list {
		pattern, err := urlPattern(e.text)
		if err != nil {
			return crawl.Limits{}, fmt.Errorf("%s: %w", e.place, err)
		}
		l.URLs = append(l.URLs, pattern)
	}
	if len(l.URLs) == 0 {
		return crawl.Limits{}, fmt.Errorf("%s: no pattern in it; without -f all URLs are meant", p.listName())
	}
	return l, nil
}

// patternUser is user and password in a pattern. No URL that we know has one (B9).
var patternUser = regexp.MustCompile(`^([A-Za-z]+://)[^/?#]*@`)

// urlPattern is a pattern of URLs for LIKE, as typed or read, without user and password.
func urlPattern(typed string) (string, error) {
	if !utf8.ValidString(typed) || strings.ContainsRune(typed, 0) {
		return "", errors.New("the pattern is not UTF-8")
	}
	if rest := strings.TrimRight(typed, `\`); (len(typed)-len(rest))%2 == 1 {
		return "", errors.New(`the pattern ends with \, which takes the meaning from the character behind it`)
	}
	return patternUser.ReplaceAllString(typed, "$1"), nil
}

// entry is a line of the file of -f.
type entry struct {
	text  string
	place string // FILE:LINE, where it begins
}

// listName is the file of -f as messages name it.
func (p *program) listName() string {
	if p.o.file == "-" {
		return "standard input"
	}
	return p.o.file
}

// listed are URLs as typed, and those of -f.
func (p *program) listed(typed []string) (urls []string, err error) {
	urls = slices.Clone(typed)
	if p.o.file == "" {
		return urls, nil
	}
	list, err := p.readList()
	for _, e := range list {
		urls = append(urls, e.text)
	}
	return urls, err
}

// readList reads the file of -f: a line each, # begins a comment, a backslash at the end continues (aspseek.md 1.1). A byte order
// mark at its beginning is none of its text.
func (p *program) readList() (list []entry, err error) {
	in := p.in
	if p.o.file != "-" {
		f, err := os.Open(p.o.file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	number, begin, joined := 0, 1, ""
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" && text[0] != '#' {
			list = append(list, entry{text, fmt.Sprintf("%s:%d", p.listName(), begin)})
		}
	}
	for scanner.Scan() {
		number++
		line := strings.TrimRight(scanner.Text(), "\r")
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		part, more := strings.CutSuffix(line, `\`)
		joined += part
		if !more {
			add(joined)
			joined, begin = "", number+1
		}
	}
	add(joined)
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is longer than a megabyte", p.listName(), number+1)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", p.listName(), err)
	}
	return list, nil
}
