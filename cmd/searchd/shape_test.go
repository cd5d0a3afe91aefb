package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// shape has the elements of the templates, each with its attributes.
type shape map[string][]string

var templateAction = regexp.MustCompile(`\{\{[^}]*\}\}`)

// readShape reads the shape from the templates.
func readShape(t *testing.T) shape {
	t.Helper()
	files, err := filepath.Glob("../../search/web/pages/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	s := shape{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for z := html.NewTokenizer(strings.NewReader(templateAction.ReplaceAllString(string(text), ""))); z.Next() != html.ErrorToken; {
			tag := z.Token()
			if tag.Type != html.StartTagToken {
				continue
			}
			s[tag.Data] = append(s[tag.Data], "")
			for _, a := range tag.Attr {
				s[tag.Data] = append(s[tag.Data], a.Key)
			}
		}
	}
	return s
}

// check returns an element or attribute of a page that the templates do not have, or an empty string.
func (s shape) check(page string) string {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return err.Error()
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode:
			return fmt.Sprintf("a comment %q", n.Data)
		case html.ElementNode:
			if s[n.Data] == nil || n.Namespace != "" {
				return "an element " + n.Namespace + " " + n.Data
			}
			for _, a := range n.Attr {
				if !slices.Contains(s[n.Data], a.Key) {
					return fmt.Sprintf("%s has an attribute %s", n.Data, a.Key)
				}
				if address := slices.Contains([]string{"href", "src", "action"}, a.Key); address && !safeLink(a.Val) {
					return fmt.Sprintf("%s leads to %q", n.Data, a.Val)
				}
			}
		}
	}
	return ""
}

// safeLink reports whether an address is an http or https URL or one of searchd's own.
func safeLink(address string) bool {
	own := strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") && !strings.HasPrefix(address, `/\`)
	return own || strings.HasPrefix(address, "#") || strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://")
}

// A copy has these besides the text and structure of its original.
var (
	copyHead  = strings.Fields("html head meta base title style body")
	copyTried = strings.Fields(`script iframe frame frameset object embed applet img image svg math video audio source track picture form input button textarea
		select link noscript template canvas dialog portal`)
	copyLinks = strings.Fields("href src action formaction data srcset ping poster background cite longdesc xlink:href")
)

// checkCopy returns a part of a cached copy that executes, loads or styles something, or an empty string. It
// checks the tags, because the structure is that of the original, which may be deeper than the parser's tree.
func checkCopy(p page) string {
	if policy := p.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "sandbox; default-src 'none'") {
		return "policy " + policy
	}
	seen := map[string]int{}
	z := html.NewTokenizer(strings.NewReader(p.body))
	for z.Next() != html.ErrorToken {
		tag := z.Token()
		switch tag.Type {
		case html.CommentToken:
			return fmt.Sprintf("a comment %q", tag.Data)
		case html.StartTagToken, html.SelfClosingTagToken:
			seen[tag.Data]++
			if slices.Contains(copyTried, tag.Data) {
				return "an element " + tag.Data
			}
			for _, a := range tag.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "http-equiv" {
					return fmt.Sprintf("%s has an attribute %s", tag.Data, a.Key)
				}
				if slices.Contains(copyLinks, a.Key) && !webLink(a.Val) {
					return fmt.Sprintf("%s %s leads to %q", tag.Data, a.Key, a.Val)
				}
			}
		}
	}
	for _, name := range copyHead {
		if name != "meta" && seen[name] != 1 {
			return fmt.Sprintf("%d elements %s", seen[name], name)
		}
	}
	return ""
}

// linkScheme matches the part of an address that a browser takes for its scheme: browsers ignore blanks
// before it, and line ends and tabs inside.
var linkScheme = regexp.MustCompile(`^[\x00-\x20]*([a-zA-Z][a-zA-Z0-9+.-]*):`)

// webLink reports whether an address of a copy, whose base is that of its original, leads to the web.
func webLink(address string) bool {
	found := linkScheme.FindStringSubmatch(strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(address))
	return found == nil || strings.EqualFold(found[1], "http") || strings.EqualFold(found[1], "https")
}
