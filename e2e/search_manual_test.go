package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
	"golang.org/x/net/html"
)

// These constants describe the PostgreSQL manual of the package postgresql-doc-15, and the sample of terms
// drawn from its index.
const (
	manualFolder = "/usr/share/doc/postgresql-doc-15/html"
	manualList   = "testdata/manual_terms.txt"
	manualSeed   = 1
	manualTerms  = 30
	manualWanted = 27 // of them must have their page among the first three
)

// manualTerm is a term and the one page that the manual's index names for it.
type manualTerm struct{ term, page string }

// TestSearchManualTerms crawls the PostgreSQL manual and searches for the terms of the list. The page that
// the manual's index names for a term must be among the first three results of most of them.
func TestSearchManualTerms(t *testing.T) {
	t.Parallel()
	needManual(t)
	_, terms := readManualList(t)
	server := httptest.NewServer(http.FileServer(http.Dir(manualFolder)))
	t.Cleanup(server.Close)
	w := newWorld(t, "Server "+server.URL+"/\n")
	w.spider("Threads 4\n")
	w.index()
	w.index("-K")
	good := 0
	for _, x := range terms {
		found := w.best(x.term)
		at := slices.Index(found, server.URL+"/"+x.page)
		if at >= 0 && at < 3 {
			good++
			continue
		}
		t.Logf("%s: %s is at position %d of %q", x.term, x.page, at+1, found)
	}
	t.Logf("%d of %d terms have their page among the first three", good, len(terms))
	if good < manualWanted {
		t.Errorf("%d terms have their page among the first three, want %d", good, manualWanted)
	}

	// DocBook's navigation is no content: no excerpt has it, and the first one begins with a sentence.
	var answer struct {
		Results []struct {
			URL, Text string
			Excerpts  [][]struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(w.index("--search", "vacuum", "--format", "json")), &answer); err != nil {
		t.Fatal(err)
	}
	for i, r := range answer.Results {
		for j, pieces := range r.Excerpts {
			excerpt := ""
			for _, piece := range pieces {
				excerpt += piece.Text
			}
			if strings.Contains(excerpt, "Home Next") || strings.HasPrefix(excerpt, "Prev") {
				t.Errorf("%s shows its navigation: %q", r.URL, excerpt)
			}
			if i == 0 && j == 0 {
				t.Logf("first excerpt of %s: %q", r.URL, excerpt)
				if first, _ := utf8.DecodeRuneInString(excerpt); !unicode.IsUpper(first) {
					t.Errorf("the first excerpt of %s begins with no sentence: %q", r.URL, excerpt)
				}
			}
		}
	}
}

// TestManualListIsDrawn verifies that the list is what the seed draws from the version of the manual that it
// names. -update draws it again.
func TestManualListIsDrawn(t *testing.T) {
	needManual(t)
	version, all := readManualIndex(t)
	drawn := draw(all)
	if *update {
		writeManualList(t, version, len(all), drawn)
	}
	listed, terms := readManualList(t)
	if len(terms) != manualTerms {
		t.Errorf("%d terms, want %d", len(terms), manualTerms)
	}
	if listed != version {
		t.Skipf("the list was drawn from %s, and here is %s", listed, version)
	}
	if diff := cmp.Diff(drawn, terms, cmp.AllowUnexported(manualTerm{})); diff != "" {
		t.Errorf("drawn, and listed:\n%s", diff)
	}
}

func needManual(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(manualFolder, "bookindex.html")); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the PostgreSQL manual is not installed: apt-get install postgresql-doc-15")
	} else if err != nil {
		t.Fatal(err)
	}
}

// draw takes random terms and leaves out those that are no query.
func draw(all []manualTerm) (drawn []manualTerm) {
	random := rand.New(rand.NewPCG(manualSeed, manualSeed))
	for _, i := range random.Perm(len(all)) {
		if _, err := query.Parse(all[i].term, query.Options{}); err == nil && len(drawn) < manualTerms {
			drawn = append(drawn, all[i])
		}
	}
	return drawn
}

// readManualIndex reads bookindex.html: the manual's title, and the terms whose references lead to one page,
// in their order. A term is the text of a top-level <dt id="ientry-...">term, <a class="indexterm"
// href="page.html#place">...</a></dt>. One with a <dd> behind it has subterms and is left out.
func readManualIndex(t *testing.T) (version string, terms []manualTerm) {
	t.Helper()
	f, err := os.Open(filepath.Join(manualFolder, "bookindex.html"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	root, err := html.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Data == "a" && attribute(n, "accesskey") == "h" && version == "":
			version = attribute(n, "title")
		case n.Data == "dt" && strings.HasPrefix(attribute(n, "id"), "ientry-") && (n.NextSibling == nil || n.NextSibling.Data != "dd"):
			if term, pages := manualEntry(n); len(pages) == 1 {
				terms = append(terms, manualTerm{term, pages[0]})
			}
		}
	}
	return version, terms
}

// manualEntry returns the text before the first reference of an entry, and the pages that its references lead
// to.
func manualEntry(dt *html.Node) (term string, pages []string) {
	for n := range dt.Descendants() {
		switch {
		case n.Type == html.ElementNode && n.Data == "a" && attribute(n, "class") == "indexterm":
			page, _, _ := strings.Cut(attribute(n, "href"), "#")
			if !slices.Contains(pages, page) {
				pages = append(pages, page)
			}
		case n.Type == html.TextNode && len(pages) == 0:
			term += n.Data
		}
	}
	return strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(term), ",")), " "), pages
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

const manualHeader = `# %d terms of the index of the %s (bookindex.html), drawn with the seed %d from
# the %d of its terms without subterms that it sends to one page, those left out that search.Parse refuses. A line is a term, a
# tab, and that page. go test ./e2e -run TestManualListIsDrawn -update draws them again.
`

func writeManualList(t *testing.T, version string, of int, terms []manualTerm) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, manualHeader, len(terms), version, manualSeed, of)
	for _, x := range terms {
		fmt.Fprintf(&b, "%s\t%s\n", x.term, x.page)
	}
	if err := os.WriteFile(manualList, []byte(b.String()), 0o644); err != nil { //nolint:gosec // a file of the source tree
		t.Fatal(err)
	}
}

// readManualList reads the list and the version of the manual that its first line names.
func readManualList(t *testing.T) (version string, terms []manualTerm) {
	t.Helper()
	text, err := os.ReadFile(manualList)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		term, page, found := strings.Cut(line, "\t")
		switch {
		case i == 0:
			_, version, _ = strings.Cut(line, "index of the ")
			version, _, _ = strings.Cut(version, " (")
		case found:
			terms = append(terms, manualTerm{term, page})
		}
	}
	return version, terms
}
