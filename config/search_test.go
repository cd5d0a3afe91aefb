package config

import (
	"errors"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// searchDefaults are the defaults of searchd.conf, written a second time.
func searchDefaults() Search {
	return Search{
		Listen: "127.0.0.1:12345", LogFormat: "text", DataDir: "./var", PrimarySearches: "fallback", MaxStandbyLag: time.Minute, MaxSearches: 16, SearchTimeOut: 5 * time.Second, ResultsPerPage: 20,
		MinFixedPatternLength: 3, AccountDistance: true, Ranking: "relevance", Match: "any", WordForms: "auto", Face: Face{Name: "pgseek"}, Prefix: "/", Language: "en", StatAddress: "full",
		SuggestMemory: 16 << 20,
	}
}

// loadSearch loads a valid configuration.
func loadSearch(t *testing.T, f files) *SearchConfig {
	t.Helper()
	c, err := LoadSearch(f.write(t), nil)
	if err != nil {
		t.Fatalf("LoadSearch: %v", err)
	}
	return c
}

// searchProblems loads an invalid configuration, and returns its messages without the directory's name.
func searchProblems(t *testing.T, f files, overrides map[string]string) []string {
	t.Helper()
	dir := f.write(t)
	c, err := LoadSearch(dir, overrides)
	var errs Errors
	if !errors.As(err, &errs) || c != nil {
		t.Fatalf("LoadSearch = %v, %v; want nil and Errors", c, err)
	}
	return strings.Split(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), "\n")
}

func TestDefaultsOfSearchd(t *testing.T) {
	want := searchDefaults()
	want.DataDir = loadSearch(t, nil).Spider.DataDir
	if diff := cmp.Diff(want, loadSearch(t, nil).Search, comparePrefixes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEverySettingOfSearchd(t *testing.T) {
	got := loadSearch(t, files{searchName: `
listen :8080
DBAddr "host=/run/postgresql dbname=web user=search"
DBAddr postgres://a/web postgresql://b/web
PrimarySearches Always
MaxStandbyLag 10s
DataDir /srv/pgseek
MaxSearches 4
SearchTimeOut 1M
ResultsPerPage 100
LogFormat json
MinFixedPatternLength 1
AccountDistance no
Ranking ASPseek
Match all
WordForms Yes
SiteWeight HTTPS://WWW.Example.org:443 10
SiteWeight http://a.example:8080/ -3
SiteWeight http://a.example:80/ 1
SiteWeight http://[::1]/ 2
SiteWeight http://a.example/ 4
Language de
Prefix /search/
AllowOrigin https://www.example.org HTTP://localhost:8080/
AllowOrigin https://www.example.org:443/
StatAddress Short
Suggest yes
FileLinks yes
SuggestMemory 2 MB
TrustedProxy 127.0.0.1 fd00::1/8
`}).Search
	want := Search{
		Listen: ":8080", DBAddrs: []string{"host=/run/postgresql dbname=web user=search", "postgres://a/web", "postgresql://b/web"}, PrimarySearches: "always", MaxStandbyLag: 10 * time.Second, DataDir: "/srv/pgseek",
		MaxSearches: 4, SearchTimeOut: time.Minute, ResultsPerPage: 100, LogFormat: "json", MinFixedPatternLength: 1, Ranking: "aspseek", Match: "all", WordForms: "yes",
		SiteWeights: map[string]int{
			"https://www.example.org/": 10, "http://a.example:8080/": -3, "http://a.example/": 4, "http://[::1]/": 2,
		},
		Face: Face{Name: "pgseek"}, Prefix: "/search/", AllowOrigins: []string{"https://www.example.org", "http://localhost:8080"}, Language: "de", StatAddress: "short",
		Suggest: true, FileLinks: true, SuggestMemory: 2 << 20,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("fd00::/8")},
	}
	if diff := cmp.Diff(want, got, comparePrefixes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProblemsOfSearchdNameFileAndLine(t *testing.T) {
	got := searchProblems(t, files{
		searchName: "Listen 12345\n" + // 1
			"Listen 127.0.0.1:70000\n" +
			"Listen \"no such host:80\"\n" +
			"SearchTimeOut 0\n" +
			"ResultsPerPage 101\n" + // 5
			"MaxSearches 0\n" +
			"SiteWeight www.example.org 3\n" +
			"SiteWeight http://www.example.org/docs/ 3\n" +
			"SiteWeight http://www.example.org/ much\n" +
			"SiteWeight http://me:sEcret@www.example.org/ 3\n" + // 10
			"StatAddress all\n" +
			"TrustedProxy proxy.example.org\n" +
			"Threads 4\n" +
			"ResultPerPage 4\n" +
			"SiteWeight http://a.example/\n" + // 15
			"SiteWeight http://bücher.example/ 1\n" +
			"WordForms english\n" +
			"WordForms de,EN\n" +
			"Prefix search\n" +
			"Prefix /a/../b/\n" + // 20
			"AllowOrigin *\n" +
			"AllowOrigin www.example.org\n" +
			"Language english!\n" +
			"DBAddr host=secret dbname=web\n" +
			"DBAddr postgres://u:secret@a/web postgres://u:secret@a/web\n" + // 25
			"PrimarySearches yes\n" +
			"MaxStandbyLag 0\n",
		spiderName: "Threads 0\nMaxSearches 3\n",
	}, map[string]string{"MaxSearches": "many"})
	want := []string{
		"command line: MaxSearches: \"many\" is not a whole number from 1 to 1000",
	}
	for _, reason := range []string{
		`1: Listen: "12345" is not an address and a port such as 127.0.0.1:12345 or [::1]:12345 (:12345 is every address)`,
		`2: Listen: "127.0.0.1:70000" is not an address and a port such as 127.0.0.1:12345 or [::1]:12345 (:12345 is every address)`,
		`3: Listen: "no such host" is neither an address nor a host name`,
		`4: SearchTimeOut: "0" is not from 1s to 10M`,
		`5: ResultsPerPage: "101" is not a whole number from 1 to 100`,
		`6: MaxSearches: "0" is not a whole number from 1 to 1000`,
		`7: SiteWeight: "www.example.org" is not an absolute http or https URL`,
		`8: SiteWeight: "http://www.example.org/docs/" is not a site such as https://www.example.org/`,
		`9: SiteWeight: "much" is not a whole number from -1000000 to 1000000`,
		`10: SiteWeight: a site cannot contain a user name and password`,
		`11: StatAddress: "all" is not one of full, short, none`,
		`12: TrustedProxy: "proxy.example.org" is not a network such as 10.0.0.0/8 or fd00::/8`,
		`13: Threads: unknown keyword in searchd.conf: it belongs in spider.cnf`,
		`14: ResultPerPage: unknown keyword; did you mean ResultsPerPage?`,
		`15: SiteWeight: 1 values, expected a site and a number`,
		`16: SiteWeight: "http://bücher.example/" is not a site: write international names in their xn-- form`,
		`17: WordForms: "english" is neither auto, yes, no nor a list of language codes such as de,en`,
		`19: Prefix: "search" is not a path with a slash at both ends; write: Prefix /search/`,
		`20: Prefix: "/a/../b/" is not a path such as /search/: it has a . or .. in it`,
		`21: AllowOrigin: * is every site: name those whose scripts may read the answers, such as https://www.example.org`,
		`22: AllowOrigin: "www.example.org" is not the origin of a site such as https://www.example.org`,
		`23: Language: "english!" is not the code of a language such as en or de`,
		`24: DBAddr: 2 values, expected one (put a value with spaces in double quotes)`,
		`25: DBAddr: the same database twice`,
		`26: PrimarySearches: "yes" is not one of fallback, always, never`,
		`27: MaxStandbyLag: "0" is not from 1s to 7d`,
	} {
		want = append(want, "searchd.conf:"+reason)
	}
	want = append(want,
		`spider.cnf:1: Threads: "0" is not a whole number from 1 to 1000`,
		`spider.cnf:2: MaxSearches: unknown keyword in spider.cnf: it belongs in searchd.conf`,
	)
	less := func(list []string) map[string]bool {
		set := map[string]bool{}
		for _, line := range list {
			set[line] = true
		}
		return set
	}
	if diff := cmp.Diff(less(want), less(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPrecedenceOfSearchd(t *testing.T) {
	f := files{searchName: "Listen :1\nMaxSearches 1\nResultsPerPage 1\n"}
	t.Setenv("PGSEEK_LISTEN", ":2")
	t.Setenv("PGSEEK_MAXSEARCHES", "2")
	t.Setenv("PGSEEK_SITEWEIGHT", "http://a.example/ 1 http://b.example/ 2")
	c, err := LoadSearch(f.write(t), map[string]string{"listen": ":3"})
	if err != nil {
		t.Fatal(err)
	}
	got := c.Search
	if got.Listen != ":3" || got.MaxSearches != 2 || got.ResultsPerPage != 1 || got.SearchTimeOut != 5*time.Second {
		t.Errorf("want flag, environment, file, default: %+v", got)
	}
	if diff := cmp.Diff(map[string]int{"http://a.example/": 1, "http://b.example/": 2}, got.SiteWeights); diff != "" {
		t.Errorf("SiteWeights (-want +got):\n%s", diff)
	}
}

// DBAddr and DataDir are those of spider.cnf, unless searchd.conf has its own.
func TestSearchdHasTheDatabaseOfSpider(t *testing.T) {
	spider := files{spiderName: "DBAddr host=owner\nDataDir /srv/a\n"}
	c := loadSearch(t, spider)
	if !slices.Equal(c.Search.DBAddrs, []string{"host=owner"}) || c.Search.DataDir != "/srv/a" {
		t.Errorf("got %+v", c.Search)
	}
	spider[searchName] = "DBAddr host=reader\n"
	c = loadSearch(t, spider)
	if !slices.Equal(c.Search.DBAddrs, []string{"host=reader"}) || c.Spider.DBAddr != "host=owner" || c.Search.DataDir != "/srv/a" {
		t.Errorf("got %+v, owner %q", c.Search, c.Spider.DBAddr)
	}
}

func TestPlaceOfSearchd(t *testing.T) {
	dir := files{searchName: "MaxSearches 3\n", "other.conf": "MaxSearches 4\n", spiderName: "DataDir /srv/b\n"}.write(t)
	for place, want := range map[string]int{dir: 3, filepath.Join(dir, "other.conf"): 4, filepath.Join(dir, searchName): 3} {
		c, err := LoadSearch(place, nil)
		if err != nil || c.Search.MaxSearches != want || c.Search.DataDir != "/srv/b" {
			t.Errorf("%s: got %+v, %v; want MaxSearches %d", place, c, err, want)
		}
	}
	for _, place := range []string{filepath.Join(dir, spiderName), filepath.Join(dir, "missing")} {
		if c, err := LoadSearch(place, nil); err == nil {
			t.Errorf("%s: got %+v, want an error", place, c)
		}
	}
	if _, err := Load(filepath.Join(dir, searchName), nil); err == nil {
		t.Error("searchd.conf was taken for sets.cnf")
	}

	// The current directory counts when it has any of the three files, for both programs.
	for _, name := range []string{setsName, spiderName, searchName} {
		t.Chdir(files{name: ""}.write(t))
		c, err := Load("", nil)
		if err != nil || c.Place() != "." {
			t.Errorf("with %s here: index looks in %q, %v", name, c.Place(), err)
		}
		found, _, err := findSearch("")
		if err != nil || found != searchName {
			t.Errorf("with %s here: searchd looks for %q, %v", name, found, err)
		}
	}
}
