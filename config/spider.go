package config

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/internal/version"
)

// Spider has the settings of spider.cnf: how to crawl and merge. Sizes are bytes.
type Spider struct {
	DBAddr    string // a PostgreSQL URL or a key=value connection string; "" = the embedded server. Contains a password
	DataDir   string // the embedded cluster and logs; a relative path begins in the current directory
	UserAgent string // the part before "/" is our name in robots.txt
	Threads   int    // fetchers

	CrawlMode     string        // CrawlOnce, CrawlContinuous or CrawlScheduled
	Windows       []Window      // CrawlSchedule; at least one with CrawlScheduled
	MergeInterval time.Duration // the longest time that a crawl without end lets pass between two merges

	ReadTimeOut  time.Duration // one whole fetch
	RobotsTTL    time.Duration // lifetime of a host's robots.txt, at most 24 h
	BatchSize    int           // URLs in a schedule
	BatchTimeout time.Duration // until a schedule is issued again
	DBWaitLimit  time.Duration // longest wait for a database that is down or full (F3, F8)

	MaxTextSize     int64 // of a text or HTML body; the rest is dropped
	MaxOtherSize    int64 // of any other body; a larger one is 804
	IndexLimit      int64 // bytes of a body that are kept and indexed
	MaxLinksPerPage int   // 0 = as many as IndexLimit holds (B14)
	MaxURLLength    int   // bytes after normalizing (B6)

	ConvertTimeOut   time.Duration // of the conversion of a document
	ConvertMemory    int64         // of its programs
	ConvertersAtOnce int           // conversions by programs in a process; 0 = as many as there are processors

	Operator Operator // of the pages for the operator

	RobotsPolicy            string // meaning of a robots.txt that cannot be fetched: "rfc9309" or "gsa"
	Soft404Detection        bool   // 905 for a page that its site answers for any address
	InfiniteSpaceDetection  bool   // T-14 for a document of which InfiniteSpaceDuplicates live ones exist
	InfiniteSpaceDuplicates int
	InfiniteSpaceRepeat     int // times in a row that a part of a URL makes it one of an endless site; 0 = off
	DocumentLimit           int // live documents up to which new ones are added; 0 = any number

	Clones            bool     // equal documents become clones of one
	NofollowExcludes  bool     // a page with nofollow becomes 406
	ModernRedirects   bool     // 303, 307 and 308 are redirects
	FollowRelNofollow bool     // links with rel=nofollow are followed
	LinkTags          []string // lower case, no duplicates, at least one

	MinWordLength int // characters
	MaxWordLength int // characters, at most 32
	Stopwords     []StopwordFile

	MergeMemory int64   // memory limit of a merge
	RankShare   float64 // the share of changed links, 0 to 1, above which a merge computes the ranks again
	LogFormat   string  // LogText or LogJSON
	HistoryKeep int     // rows of crawl_history a URL
	LostLimit   int     // checks until a lost document is purged (T-18)

	// MaxLostShare is the largest share of a site's live documents, 0 to 1, that may turn lost in one run;
	// beyond it the site is put on hold. 1 disables the gate, because no more than all can be lost.
	MaxLostShare      float64
	LostPeriod        time.Duration // until a hold ends without an action of the operator; added to OrphanPeriod for a lost orphan (SR-09)
	OrphanPeriod      time.Duration // from an orphan's last visit until it may be purged (SR-09)
	UnreachableRemove bool          // documents of hosts that do not answer are purged at the 4th error

	// The times between visits, apart from Period and the fixed waits after errors. The last three are whole
	// seconds, at least one, and come from the environment alone; BaseInterval is at most MaxInterval.
	UnchangedChecks int           // unchanged results in a row until the adaptive interval grows
	BaseInterval    time.Duration // shortest adaptive interval: CRAWL_BASE_INTERVAL_SECONDS
	MaxInterval     time.Duration // longest one, and longest back-off: CRAWL_MAX_INTERVAL_SECONDS
	BackoffBase     time.Duration // first wait for a URL that was never indexed; doubles: CRAWL_ERROR_BACKOFF_BASE

	ConnectivityInterval time.Duration // between tests of the network; 0 = none
	ConnectivityShare    float64       // of the start URLs that must be alive, 0 to 1

	AllowNetworks []netip.Prefix // masked; allowed although private
	DenyNetworks  []netip.Prefix // masked; take precedence over every Allow
	AllowHosts    []string       // lower case ASCII names, without a final dot

	FileRoots    []string // absolute, clean paths below which file URLs are read
	FilePrivate  bool     // files that others may not read are read, and marked as protected
	ListingIndex bool     // FileListing index: the names in a directory are a document

	Headers    []Header    // of all requests, in addition to our own
	Bandwidths []Bandwidth // MaxBandwidth; the last line that holds at a time counts
}

// The limits of numbers. They are generous: a larger value is a mistake.
const (
	maxThreads       = 1000
	maxBatchSize     = 10000
	maxLinks         = 10_000_000
	maxHistory       = 10000
	maxChecks        = 1000 // counted in a smallint
	minMergeMemory   = 1 << 20
	minConvertMemory = 16 << 20
	maxMergeMemory   = 1 << 40
	minURLLength     = 16
	maxURLLength     = 2048
	maxWordLength    = 32
	maxLostLimit     = 15 // four bits of status
	maxBody          = 2048 << 20
	maxIndexLimit    = 10 << 20
	maxReadTimeOut   = time.Hour
	maxRobotsTTL     = 24 * time.Hour
	maxBatchTimeout  = 30 * day
	maxDBWait        = 7 * day
)

// The values of LogFormat.
const (
	LogText = "text"
	LogJSON = "json"
)

// spiderKeys has every directive of spider.cnf, with those that this version refuses.
var spiderKeys = slices.Concat(operatorKeys, []key[Spider]{
	scalar("DBAddr", "", dbAddr, func(s *Spider) *string { return &s.DBAddr }),
	scalar("DataDir", "./var", filePath, func(s *Spider) *string { return &s.DataDir }),
	scalar("UserAgent", "pgseek/"+version.Number(), userAgent, func(s *Spider) *string { return &s.UserAgent }),
	{name: "HTTPHeader", listed: true, set: setHTTPHeader},
	{name: "MaxBandwidth", list: true, listed: true, set: setBandwidth},
	scalar("Threads", "100", wholeNumber(1, maxThreads), func(s *Spider) *int { return &s.Threads }),
	scalar("ReadTimeOut", "90s", span(time.Second, maxReadTimeOut), func(s *Spider) *time.Duration { return &s.ReadTimeOut }),
	scalar("CrawlMode", CrawlOnce, choice(CrawlOnce, CrawlContinuous, CrawlScheduled), func(s *Spider) *string { return &s.CrawlMode }),
	{name: "CrawlSchedule", list: true, listed: true, set: setWindow},
	scalar("MergeInterval", "30M", span(time.Second, day), func(s *Spider) *time.Duration { return &s.MergeInterval }),
	scalar("RobotsTTL", "30M", span(time.Second, maxRobotsTTL), func(s *Spider) *time.Duration { return &s.RobotsTTL }),
	never[Spider]("Robots", "yes", "robots.txt is obeyed; for a host of your own write Robots no in sets.cnf, above its Server line"),
	scalar("ConnectivityInterval", "30M", span(0, maxPeriod), func(s *Spider) *time.Duration { return &s.ConnectivityInterval }),
	scalar("ConnectivityShare", "10%", share, func(s *Spider) *float64 { return &s.ConnectivityShare }),
	sized("MaxTextSize", "20MB", size(0, maxBody), func(s *Spider) *int64 { return &s.MaxTextSize }),
	sized("MaxOtherSize", "100MB", size(0, maxBody), func(s *Spider) *int64 { return &s.MaxOtherSize }),
	sized("IndexLimit", "2621440", size(1, maxIndexLimit), func(s *Spider) *int64 { return &s.IndexLimit }),
	scalar("ConvertTimeOut", "60s", span(time.Second, maxReadTimeOut), func(s *Spider) *time.Duration { return &s.ConvertTimeOut }),
	sized("ConvertMemory", "1GB", size(minConvertMemory, maxMergeMemory), func(s *Spider) *int64 { return &s.ConvertMemory }),
	scalar("ConvertersAtOnce", "0", wholeNumber(0, maxThreads), func(s *Spider) *int { return &s.ConvertersAtOnce }),
	scalar("Clones", "yes", yesNo, func(s *Spider) *bool { return &s.Clones }),
	scalar("Soft404Detection", "yes", yesNo, func(s *Spider) *bool { return &s.Soft404Detection }),
	scalar("InfiniteSpaceDetection", "no", yesNo, func(s *Spider) *bool { return &s.InfiniteSpaceDetection }),
	scalar("InfiniteSpaceDuplicates", "20", wholeNumber(1, maxLinks), func(s *Spider) *int { return &s.InfiniteSpaceDuplicates }),
	scalar("InfiniteSpaceRepeat", "0", repeats, func(s *Spider) *int { return &s.InfiniteSpaceRepeat }),
	scalar("NofollowExcludes", "no", yesNo, func(s *Spider) *bool { return &s.NofollowExcludes }),
	scalar("FollowRelNofollow", "no", yesNo, func(s *Spider) *bool { return &s.FollowRelNofollow }),
	scalar("ModernRedirects", "yes", yesNo, func(s *Spider) *bool { return &s.ModernRedirects }),
	scalar("MinWordLength", "1", wholeNumber(1, maxWordLength), func(s *Spider) *int { return &s.MinWordLength }),
	scalar("MaxWordLength", "32", wholeNumber(1, maxWordLength), func(s *Spider) *int { return &s.MaxWordLength }),
	{name: "StopwordFile", list: true, listed: true, set: setStopwords},
	scalar("RobotsPolicy", "rfc9309", choice("rfc9309", "gsa"), func(s *Spider) *string { return &s.RobotsPolicy }),
	{name: "LinkTags", def: "a", list: true, listed: true, set: setLinkTags},
	scalar("MaxLinksPerPage", "0", wholeNumber(0, maxLinks), func(s *Spider) *int { return &s.MaxLinksPerPage }),
	scalar("MaxURLLength", "2048", wholeNumber(minURLLength, maxURLLength), func(s *Spider) *int { return &s.MaxURLLength }),
	scalar("MaxLostShare", "30%", share, func(s *Spider) *float64 { return &s.MaxLostShare }),
	sized("MergeMemory", "256MB", size(minMergeMemory, maxMergeMemory), func(s *Spider) *int64 { return &s.MergeMemory }),
	scalar("RankShare", "5%", share, func(s *Spider) *float64 { return &s.RankShare }),
	scalar("DBWaitLimit", "5M", span(0, maxDBWait), func(s *Spider) *time.Duration { return &s.DBWaitLimit }),
	networkKey("AllowNetwork", func(s *Spider) *[]netip.Prefix { return &s.AllowNetworks }),
	{name: "AllowHost", list: true, listed: true, set: setAllowHosts},
	networkKey("DenyNetwork", func(s *Spider) *[]netip.Prefix { return &s.DenyNetworks }),
	{name: "FileRoot", list: true, listed: true, set: setFileRoots},
	scalar("FileListing", "follow", fileListing, func(s *Spider) *bool { return &s.ListingIndex }),
	scalar("FilePrivate", "no", yesNo, func(s *Spider) *bool { return &s.FilePrivate }),
	scalar("LogFormat", LogText, choice(LogText, LogJSON), func(s *Spider) *string { return &s.LogFormat }),
	scalar("HistoryKeep", "10", wholeNumber(1, maxHistory), func(s *Spider) *int { return &s.HistoryKeep }),
	scalar("LostLimit", "4", wholeNumber(1, maxLostLimit), func(s *Spider) *int { return &s.LostLimit }),
	scalar("LostPeriod", "30d", span(0, maxPeriod), func(s *Spider) *time.Duration { return &s.LostPeriod }),
	scalar("OrphanPeriod", "30d", span(0, maxPeriod), func(s *Spider) *time.Duration { return &s.OrphanPeriod }),
	scalar("UnreachableRemove", "no", yesNo, func(s *Spider) *bool { return &s.UnreachableRemove }),
	scalar("DocumentLimit", "0", wholeNumber(0, maxTag), func(s *Spider) *int { return &s.DocumentLimit }),
	later[Spider]("URLLimit", "0", wholeNumber(0, maxTag)),
	only[Spider]("UrlNormalization", "safe", "full"),
	scalar("BatchSize", "30", wholeNumber(1, maxBatchSize), func(s *Spider) *int { return &s.BatchSize }),
	// The default depends on two other values and is computed when all are read.
	scalar("BatchTimeout", "", span(time.Second, maxBatchTimeout), func(s *Spider) *time.Duration { return &s.BatchTimeout }),
	scalar("UnchangedChecks", "1", wholeNumber(1, maxChecks), func(s *Spider) *int { return &s.UnchangedChecks }),
	later[Spider]("SnapshotRetention", "0", wholeNumber(0, maxLinks)),
	later[Spider]("GoneTTL", "30d", span(0, maxPeriod)),
	later[Spider]("GoneGrace", "7d", span(0, maxPeriod)),
	never[Spider]("CompactStorage", "no", "pgseek does not store documents in 300 files"),
	never[Spider]("IncrementalCitations", "no", "pgseek has no citation files"),
})

// defaultDataDir returns ./var, or the system's directory for the super-user, whose current directory may be
// anywhere.
func defaultDataDir(uid int) string {
	if uid == 0 {
		return "/var/lib/pgseek"
	}
	return "./var"
}

// batchTimeout returns the default of BatchTimeout: twice the time of the slowest fetches of a batch, one after the other, up to ten of
// them. A fetcher takes no further URL after half of that time.
func batchTimeout(s *Spider) time.Duration {
	return max(time.Minute, 2*s.ReadTimeOut*time.Duration(min(s.BatchSize, 10)))
}

func filePath(s string) (string, error) {
	if s == "" {
		return "", reasonf("the path is empty")
	}
	return s, nil
}

// userAgent accepts the characters of an HTTP header. The part before "/" must not be empty: it is our name
// in robots.txt.
func userAgent(s string) (string, error) {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return "", reasonf("%s contains characters that are not allowed in an HTTP header", quote(s))
		}
	}
	if name, _, _ := strings.Cut(s, "/"); strings.TrimSpace(name) == "" {
		return "", reasonf("%s has no name before the slash", quote(s))
	}
	return s, nil
}

// The elements whose links can be followed.
var linkTags = []string{"a", "area", "frame", "iframe", "img", "link"}

func setLinkTags(s *Spider, d directive) error {
	if len(d.args) == 0 {
		return reasonf("a value is missing")
	}
	var tags []string
	for _, a := range d.args {
		tag := strings.ToLower(a)
		if tag == "form" {
			return reasonf("forms are never followed")
		}
		if !slices.Contains(linkTags, tag) {
			return reasonf("%s is not one of %s", quote(a), strings.Join(linkTags, ", "))
		}
		if !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	s.LinkTags = tags
	return nil
}
