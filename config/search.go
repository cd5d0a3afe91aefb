package config

import (
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Search has the settings of searchd.conf: how to search.
type Search struct {
	Listen string // host:port that searchd listens on; an empty host is every address of the machine

	// DBAddrs are the databases that are searched: one, or several copies of one. When neither searchd.conf nor the environment
	// names any, DBAddr of Spider is the only one; empty = the embedded server. They contain passwords.
	DBAddrs []string
	DataDir string // as in Spider, which gives the value likewise
	// PrimarySearches says when a primary is searched beside standbys: "fallback", "always" or "never".
	PrimarySearches string
	MaxStandbyLag   time.Duration // a standby that is further behind is searched only when there is no other

	MaxSearches   int           // at the same time; further requests get 503
	SearchTimeOut time.Duration // of one search, database included

	LogFormat             string
	ResultsPerPage        int  // when the request has no number; 1 to 100
	MinFixedPatternLength int  // characters before a wildcard
	AccountDistance       bool // the distance of a word from the beginning of its section counts for the score
	// Ranking is the order of the results: "relevance" or "aspseek".
	Ranking string
	Match   string // "any" word of a query, or "all"
	// WordForms is the default for requests that do not choose, and the list of languages in which other
	// forms of the words are searched: "auto" (those of the documents), "no", "yes" (all known languages) or codes
	// such as "de,en".
	WordForms   string
	SiteWeights map[string]int
	Weights     []Weight // the first that matches counts

	// Lists of words, read again on SIGHUP.
	Synonyms       []SynonymGroup
	QueryStopwords []StopwordFile // instead of those of their languages that the program has
	KeyMatches     []KeyMatch
	SuggestNever   []ListedText // texts that no suggestion may have

	Suggest       bool  // pages have the script that shows suggestions
	SuggestMemory int64 // bytes for suggestions; 0 = there are none

	FileLinks bool // results that are files have links

	Face         Face
	Prefix       string   // path of the home page, with a slash at both ends
	AllowOrigins []string // origins whose scripts may read JSON answers: https://www.example.org
	Language     string   // code of the language of readers whose own there are no messages in

	StatAddress    string         // the part of a client's address that table stat keeps: "full", "short" or "none"
	TrustedProxies []netip.Prefix // masked; proxies whose X-Forwarded-For is trusted
}

// Values of Ranking and Match.
const (
	RankingRelevance = "relevance"
	RankingASPseek   = "aspseek"
	MatchAny         = "any"
	MatchAll         = "all"
)

// Values of PrimarySearches.
const (
	PrimaryFallback = "fallback" // while no standby can be searched
	PrimaryAlways   = "always"   // like a standby
	PrimaryNever    = "never"
)

// Values of StatAddress.
const (
	StatFull  = "full"
	StatShort = "short" // without the last byte of IPv4, the last 80 bits of IPv6
	StatNone  = "none"
)

// The limits of numbers. They are generous: a larger value is a mistake.
const (
	maxSearches      = 1000
	maxSearchTimeOut = 10 * time.Minute
	maxSiteWeight    = 1_000_000
	maxSuggestMemory = 1 << 30
	maxStandbyLag    = 7 * day
)

// searchKeys has every directive of searchd.conf. Table stat needs TrustedProxy to distinguish a client's
// address from a proxy's, because anybody can send an X-Forwarded-For.
var searchKeys = slices.Concat(faceKeys, []key[Search]{
	scalar("Listen", "127.0.0.1:12345", listenAddress, func(s *Search) *string { return &s.Listen }),
	{name: "DBAddr", listed: true, set: setDBAddrs},
	scalar("PrimarySearches", PrimaryFallback, choice(PrimaryFallback, PrimaryAlways, PrimaryNever), func(s *Search) *string { return &s.PrimarySearches }),
	scalar("MaxStandbyLag", "1M", span(time.Second, maxStandbyLag), func(s *Search) *time.Duration { return &s.MaxStandbyLag }),
	scalar("DataDir", "", filePath, func(s *Search) *string { return &s.DataDir }),
	scalar("MaxSearches", "16", wholeNumber(1, maxSearches), func(s *Search) *int { return &s.MaxSearches }),
	scalar("SearchTimeOut", "5s", span(time.Second, maxSearchTimeOut), func(s *Search) *time.Duration { return &s.SearchTimeOut }),
	scalar("LogFormat", LogText, choice(LogText, LogJSON), func(s *Search) *string { return &s.LogFormat }),
	scalar("ResultsPerPage", "20", wholeNumber(1, 100), func(s *Search) *int { return &s.ResultsPerPage }),
	scalar("MinFixedPatternLength", "3", wholeNumber(1, maxWordLength), func(s *Search) *int { return &s.MinFixedPatternLength }),
	scalar("AccountDistance", "yes", yesNo, func(s *Search) *bool { return &s.AccountDistance }),
	scalar("Ranking", RankingRelevance, choice(RankingRelevance, RankingASPseek), func(s *Search) *string { return &s.Ranking }),
	scalar("Match", MatchAny, choice(MatchAny, MatchAll), func(s *Search) *string { return &s.Match }),
	scalar("WordForms", "auto", wordForms, func(s *Search) *string { return &s.WordForms }),
	{name: "SiteWeight", list: true, listed: true, set: setSiteWeights},
	{name: "Weight", list: true, listed: true, set: setWeights},
	{name: "SynonymFile", list: true, listed: true, set: setSynonyms},
	{name: "QueryStopwordFile", list: true, listed: true, set: setQueryStopwords},
	{name: "KeyMatch", list: true, listed: true, set: setKeyMatch},
	{name: "KeyMatchFile", list: true, listed: true, set: setKeyMatchFile},
	{name: "SuggestNever", list: true, listed: true, set: setSuggestNever},
	{name: "SuggestNeverFile", list: true, listed: true, set: setSuggestNeverFile},
	scalar("Suggest", "no", yesNo, func(s *Search) *bool { return &s.Suggest }),
	sized("SuggestMemory", "16MB", size(0, maxSuggestMemory), func(s *Search) *int64 { return &s.SuggestMemory }),
	scalar("FileLinks", "no", yesNo, func(s *Search) *bool { return &s.FileLinks }),
	scalar("Prefix", "/", pathPrefix, func(s *Search) *string { return &s.Prefix }),
	{name: "AllowOrigin", list: true, listed: true, set: setOrigins},
	scalar("Language", "en", pageLanguage, func(s *Search) *string { return &s.Language }),
	scalar("StatAddress", StatFull, choice(StatFull, StatShort, StatNone), func(s *Search) *string { return &s.StatAddress }),
	networkKey("TrustedProxy", func(s *Search) *[]netip.Prefix { return &s.TrustedProxies }),
})

// SearchConfig has all settings of a program that searches. It is not changed after LoadSearch and may be
// shared.
type SearchConfig struct {
	Search Search
	// Spider has the word rules and stop words that the index was made with, and the DBAddr of index, which
	// may differ from Search.DBAddr.
	Spider Spider
	// The files that were read, as named in messages; "" when there is none.
	SearchFile, SpiderFile string
}

// LoadSearch reads searchd.conf and the spider.cnf in the same directory; no setting of sets.cnf concerns a
// search.
//
// place is the value of --config: a directory, or a file that is used as searchd.conf; it must exist. "" is
// the directory that Load finds. A missing file counts as empty. overrides are flags by keyword of
// searchd.conf. Precedence and errors are those of Load.
func LoadSearch(place string, overrides map[string]string) (*SearchConfig, error) {
	searchPath, spiderPath, err := findSearch(place)
	if err != nil {
		return nil, Errors{{File: place, Reason: err.Error()}}
	}
	var errs Errors
	c := &SearchConfig{}
	if isThere(searchPath) {
		c.SearchFile = searchPath
	}
	c.Search, _ = readLayers(searchName, searchKeys, c.SearchFile, overrides, &errs)
	if isThere(spiderPath) {
		c.SpiderFile = spiderPath
	}
	c.Spider = readSpider(c.SpiderFile, nil, &errs)
	readIntervals(&c.Spider, &errs)
	if len(errs) > 0 {
		errs.sort()
		return nil, errs
	}
	if len(c.Search.DBAddrs) == 0 && c.Spider.DBAddr != "" {
		c.Search.DBAddrs = []string{c.Spider.DBAddr}
	}
	if c.Search.DataDir == "" {
		c.Search.DataDir = c.Spider.DataDir
	}
	return c, nil
}

// findSearch returns the paths of searchd.conf and spider.cnf, whether they exist or not.
func findSearch(place string) (search, spider string, err error) {
	if place == "" {
		dir := usualDir()
		return filepath.Join(dir, searchName), filepath.Join(dir, spiderName), nil
	}
	info, err := os.Stat(place)
	if err != nil {
		return "", "", reasonf("%s", cause(err))
	}
	if info.IsDir() {
		return filepath.Join(place, searchName), filepath.Join(place, spiderName), nil
	}
	if base := filepath.Base(place); base == spiderName || base == setsName {
		return "", "", reasonf("name the directory, or a file to use as %s; %s is read from its directory", searchName, spiderName)
	}
	return place, filepath.Join(filepath.Dir(place), spiderName), nil
}

// listenAddress accepts host:port. Port 0 is any free port, for tests.
func listenAddress(s string) (string, error) {
	host, port, err := net.SplitHostPort(s)
	n, ok := number(port)
	switch {
	case err != nil || !ok || n > math.MaxUint16:
		return "", reasonf("%s is not an address and a port such as 127.0.0.1:12345 or [::1]:12345 (:12345 is every address)", quote(s))
	case host == "":
		return s, nil
	}
	if _, err := netip.ParseAddr(host); err != nil && !isHostName(strings.ToLower(host)) {
		return "", reasonf("%s is neither an address nor a host name", quote(host))
	}
	return s, nil
}

var languageCode = regexp.MustCompile(`^[a-z]{2,3}(-[a-zA-Z0-9]{2,8})*$`)

// pageLanguage reads the code of a language. searchd knows whether it has messages in it.
func pageLanguage(s string) (string, error) {
	if languageCode.MatchString(s) {
		return s, nil
	}
	return "", reasonf("%s is not the code of a language such as en or de", quote(s))
}

var langCodes = regexp.MustCompile(`^[a-z]{2}(,[a-z]{2})*$`)

// wordForms reads auto, yes, no, or languages with commas between them; "no" is Norwegian only in a list with
// others.
func wordForms(s string) (string, error) {
	s = strings.ToLower(s)
	if s == "yes" || s == "auto" || langCodes.MatchString(s) {
		return s, nil
	}
	return "", reasonf("%s is neither auto, yes, no nor a list of language codes such as de,en", quote(s))
}

// setSiteWeights reads pairs of a site and a number: one pair a line in searchd.conf, any number of pairs in
// the environment. Of two numbers for a site the last counts.
func setSiteWeights(s *Search, d directive) error {
	if len(d.args) == 0 || len(d.args)%2 != 0 {
		return reasonf("%d values, expected a site and a number", len(d.args))
	}
	for pair := range slices.Chunk(d.args, 2) {
		site, err := siteName(pair[0])
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(pair[1])
		if err != nil || n < -maxSiteWeight || n > maxSiteWeight {
			return reasonf("%s is not a whole number from -%d to %d", quote(pair[1]), maxSiteWeight, maxSiteWeight)
		}
		if s.SiteWeights == nil {
			s.SiteWeights = map[string]int{}
		}
		s.SiteWeights[site] = n
	}
	return nil
}

// siteName returns a site in the spelling of table sites: http://host[:port]/, in lower case, without the
// scheme's default port.
func siteName(raw string) (string, error) {
	text, login, err := startURL(raw)
	if err != nil {
		return "", err
	}
	scheme, host, _ := strings.Cut(strings.ToLower(text), "://")
	host, path, _ := strings.Cut(host, "/")
	switch {
	case login != "":
		return "", reasonf("a site cannot contain a user name and password")
	case path != "" || strings.ContainsAny(host, `\?#`):
		return "", reasonf("%s is not a site such as https://www.example.org/", quote(raw))
	}
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
	if name, _, _ := strings.Cut(host, ":"); host[0] != '[' && !isHostName(name) {
		return "", reasonf("%s is not a site: write international names in their xn-- form", quote(raw))
	}
	return scheme + "://" + host + "/", nil
}
