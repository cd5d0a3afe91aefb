package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// commented matches a directive that an example file has in a comment; in prose a blank follows the #.
var commented = regexp.MustCompile(`(?m)^#([A-Z])`)

// exampleNames are the files in the top-level directory of the project.
var exampleNames = []string{setsName, spiderName, searchName}

// examples reads the files in the top-level directory of the project, unchanged.
func examples(t *testing.T) files {
	t.Helper()
	// The files that the examples name.
	f := files{
		"stopwords-en.txt": "the\n", "query-stopwords-en.txt": "the\n", "synonyms.txt": "a, b\n", "keymatches.txt": "a http://a.example/ A\n", "suggest-never.txt": "a\n",
		"logo.svg": "", "header.html": "", "footer.html": "", "templates/base.html": "",
	}
	for _, name := range exampleNames {
		b, err := os.ReadFile(filepath.Join("..", name+".example"))
		if err != nil {
			t.Fatal(err)
		}
		f[name] = string(b)
	}
	return f
}

// The example files are valid and set nothing: all values are the defaults.
func TestExampleFilesAsTheyAreSetNothing(t *testing.T) {
	got, want := load(t, examples(t)), load(t, nil)
	if diff := cmp.Diff(want.Sets, got.Sets); diff != "" {
		t.Errorf("sets (-defaults +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.Spider, got.Spider, comparePrefixes); diff != "" {
		t.Errorf("spider (-defaults +got):\n%s", diff)
	}
	if diff := cmp.Diff(loadSearch(t, nil).Search, loadSearch(t, examples(t)).Search, comparePrefixes); diff != "" {
		t.Errorf("searchd (-defaults +got):\n%s", diff)
	}
}

// With every directive in force, each supported keyword is in its file and no other is, and the values are
// the defaults.
func TestExampleFilesStateEveryDirectiveAndItsDefault(t *testing.T) {
	f := examples(t)
	for _, name := range exampleNames {
		f[name] = commented.ReplaceAllString(f[name], "$1")
	}
	f[spiderName] = strings.Replace(f[spiderName], "CrawlMode once", "CrawlMode scheduled", 1) // CrawlSchedule wants it
	c := load(t, f)
	if len(c.Spider.Windows) != 1 {
		t.Errorf("windows: %v", c.Spider.Windows)
	}
	c.Spider.CrawlMode, c.Spider.Windows = CrawlOnce, nil

	if diff := cmp.Diff(Supported(setsName), keywords(f[setsName])); diff != "" {
		t.Errorf("keywords of sets.cnf.example (-that work +in the file):\n%s", diff)
	}
	if diff := cmp.Diff(Supported(spiderName), keywords(f[spiderName])); diff != "" {
		t.Errorf("keywords of spider.cnf.example (-that work +in the file):\n%s", diff)
	}
	if diff := cmp.Diff(Supported(searchName), keywords(f[searchName])); diff != "" {
		t.Errorf("keywords of searchd.conf.example (-that work +in the file):\n%s", diff)
	}

	want := load(t, nil)
	s := c.Sets
	if len(s.Servers) != 1 || len(s.Filters) != 6 || len(s.HostLoads) != 4 {
		t.Fatalf("%d servers, %d filters, %d host loads; want 1, 6, 4", len(s.Servers), len(s.Filters), len(s.HostLoads))
	}
	server := s.Servers[0]
	server.URL, server.AuthBasic, server.File, server.Line, server.SaysMinDelay = "", "", "", 0, false // these have no default
	if len(server.Replace) != 2 {
		t.Errorf("%d examples of Replace", len(server.Replace))
	}
	server.Replace = nil
	if diff := cmp.Diff(want.Sets.Outside, server); diff != "" {
		t.Errorf("Server (-defaults +example):\n%s", diff)
	}
	stated := s.HostLoads[1] // the lines below it show what else there is
	stated.File, stated.Line = "", 0
	if s.FollowOutside || stated != s.HostLoads[0] {
		t.Errorf("FollowOutside %v, HostLoad %v", s.FollowOutside, stated)
	}
	if s.Project == "" || len(s.Frequently) != 1 || len(s.Infrequently) != 1 || len(s.ForceRecrawl) != 1 || len(s.Converters) != 7 {
		t.Errorf("an example of a Converter, of a pace directive or of Project is missing: %+v", s)
	}

	got := c.Spider
	if got.DBAddr == "" || len(got.Headers) != 1 || len(got.Bandwidths) != 1 || len(got.Stopwords) != 1 || len(got.AllowNetworks) == 0 || len(got.DenyNetworks) == 0 || len(got.AllowHosts) == 0 ||
		len(got.FileRoots) == 0 {
		t.Errorf("an example of a keyword without default is missing: %+v", got)
	}
	if o := got.Operator; o.Password == "" || o.Listen == "" || len(o.Hosts) != 1 {
		t.Errorf("an example of a keyword of the operator's pages is missing: %+v", o)
	}
	got.Operator = want.Spider.Operator
	got.Headers, got.Bandwidths, got.FileRoots = nil, nil, nil
	got.DBAddr, got.Stopwords, got.AllowNetworks, got.DenyNetworks, got.AllowHosts = "", nil, nil, nil, nil
	if diff := cmp.Diff(defaults(), got, comparePrefixes); diff != "" {
		t.Errorf("spider (-defaults +example):\n%s", diff)
	}

	search := loadSearch(t, f).Search
	if len(search.DBAddrs) != 2 || slices.Contains(search.DBAddrs, c.Spider.DBAddr) || len(search.SiteWeights) == 0 || len(search.Weights) == 0 || len(search.TrustedProxies) == 0 ||
		len(search.Synonyms) != 1 || len(search.QueryStopwords) != 1 || len(search.KeyMatches) != 2 || len(search.SuggestNever) != 2 || len(search.AllowOrigins) == 0 ||
		search.Face.Logo == "" || len(search.Face.Colors) == 0 || search.Face.Header == "" || search.Face.Footer == "" || search.Face.Templates == "" {
		t.Errorf("an example of a keyword without default is missing: %+v", search)
	}
	search.DBAddrs, search.SiteWeights, search.Weights, search.TrustedProxies, search.AllowOrigins = nil, nil, nil, nil, nil
	search.Synonyms, search.QueryStopwords, search.KeyMatches, search.SuggestNever = nil, nil, nil, nil
	search.Face = Face{Name: search.Face.Name}
	if diff := cmp.Diff(searchDefaults(), search, comparePrefixes); diff != "" {
		t.Errorf("searchd (-defaults +example):\n%s", diff)
	}
}

// keywords lists the keywords of a file's lines, without duplicates.
func keywords(text string) []string {
	lines, _ := parseBytes("example", []byte(text), nil)
	var names []string
	for _, d := range lines {
		names = append(names, d.keyword)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Every default is explained: the prose above a directive names it.
func TestExampleFilesNameEachDirectiveInProse(t *testing.T) {
	for name, text := range examples(t) {
		var prose strings.Builder
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "# ") {
				prose.WriteString(line)
				continue
			}
			for _, k := range keywords(commented.ReplaceAllString(line, "$1")) {
				if base := strings.TrimSuffix(k, "NoMatch"); !strings.Contains(prose.String(), base) && slices.Contains(exampleNames, name) {
					t.Errorf("%s: no comment above %s tells of it", name, k)
				}
			}
		}
	}
}
