package config

import (
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// prefixes are comparable, but have unexported fields that cmp cannot compare.
var comparePrefixes = cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })

// defaults are the defaults of spider.cnf, written a second time.
func defaults() Spider {
	return Spider{
		DataDir: "./var", UserAgent: "pgseek/0.1", Threads: 100,
		CrawlMode: CrawlOnce, MergeInterval: 30 * time.Minute,
		ReadTimeOut: 90 * time.Second, RobotsTTL: 30 * time.Minute, BatchSize: 30, BatchTimeout: 30 * time.Minute, DBWaitLimit: 5 * time.Minute,
		MaxTextSize: 20 * 1024 * 1024, MaxOtherSize: 100 * 1024 * 1024, IndexLimit: 2621440, MaxURLLength: 2048, ConvertTimeOut: time.Minute, ConvertMemory: 1 << 30,
		Clones: true, ModernRedirects: true, LinkTags: []string{"a"},
		MinWordLength: 1, MaxWordLength: 32,
		MergeMemory: 256 * 1024 * 1024, RankShare: 0.05, HistoryKeep: 10, LogFormat: "text", LostLimit: 4,
		RobotsPolicy: "rfc9309", Soft404Detection: true, InfiniteSpaceDuplicates: 20, MaxLostShare: 0.3, LostPeriod: 30 * day, OrphanPeriod: 30 * day,
		UnchangedChecks: 1, BaseInterval: 24 * time.Hour, MaxInterval: 336 * time.Hour, BackoffBase: 10 * time.Minute, ConnectivityInterval: 30 * time.Minute, ConnectivityShare: 0.1,
	}
}

func TestDefaultsOfSpider(t *testing.T) {
	want := defaults()
	want.DataDir = defaultDataDir(os.Geteuid())
	if diff := cmp.Diff(want, load(t, nil).Spider, comparePrefixes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if u, r := defaultDataDir(1000), defaultDataDir(0); u != "./var" || r != "/var/lib/pgseek" {
		t.Errorf("DataDir = %q, of root %q", u, r)
	}
}

func TestEverySettingOfSpider(t *testing.T) {
	c := load(t, files{spiderName: `
DBAddr "host=/run/postgresql dbname=web"
DataDir /srv/pgseek
UserAgent "my bot/1.0 (+https://a.example/)"
Threads 4
ReadTimeOut 10
RobotsTTL 24h
BatchSize 20
DBWaitLimit 0
MaxTextSize 0
MaxOtherSize 2048 MB
IndexLimit 10240KB
MaxLinksPerPage 7
ConvertTimeOut 2M
ConvertMemory 16 MB
ConvertersAtOnce 3
MaxURLLength 200
Clones no
NofollowExcludes yes
ModernRedirects no
FollowRelNofollow yes
LinkTags img
LinkTags A area a
MinWordLength 2
MaxWordLength 20
StopwordFile EN en.txt
StopwordFile de de.txt
MergeMemory 1GB
RankShare 12.5%
HistoryKeep 1
LogFormat json
LostLimit 15
AllowNetwork 10.1.2.3/8 ::1
AllowNetwork 10.0.0.0/8 192.0.2.1
DenyNetwork 10.6.0.0/16
AllowHost Intranet. a-b.example Bücher.test
RobotsPolicy rfc9309
RobotsPolicy GSA
Soft404Detection no
InfiniteSpaceDetection yes
InfiniteSpaceDuplicates 5
MaxLostShare 50%
MaxLostShare 0.125
LostPeriod 10d
OrphanPeriod 1m
OrphanPeriod 0
UnreachableRemove yes
ConnectivityInterval 1h
ConnectivityShare 25%
UnchangedChecks 3
CrawlMode Scheduled
CrawlSchedule "MON-FRI 20:00 8h"
CrawlSchedule sat,sun 06:30 90M * 00:00 1h
MergeInterval 5M
# defaults of what is not carried out may be said aloud
InfiniteSpaceRepeat 0
Robots yes
UrlNormalization safe
CompactStorage no
IncrementalCitations no
`, "en.txt": "the\n", "de.txt": "der die das"})
	want := Spider{
		DBAddr: "host=/run/postgresql dbname=web", DataDir: "/srv/pgseek", UserAgent: "my bot/1.0 (+https://a.example/)", Threads: 4,
		CrawlMode: CrawlScheduled, MergeInterval: 5 * time.Minute, Windows: []Window{
			{Days: [7]bool{1: true, 2: true, 3: true, 4: true, 5: true}, Start: 1200, Length: 8 * time.Hour},
			{Days: [7]bool{0: true, 6: true}, Start: 390, Length: 90 * time.Minute},
			{Days: [7]bool{true, true, true, true, true, true, true}, Length: time.Hour},
		},
		ReadTimeOut: 10 * time.Second, RobotsTTL: 24 * time.Hour, BatchSize: 20, BatchTimeout: 200 * time.Second,
		MaxOtherSize: 2 << 30, IndexLimit: 10485760, MaxLinksPerPage: 7, MaxURLLength: 200,
		ConvertTimeOut: 2 * time.Minute, ConvertMemory: 16 << 20, ConvertersAtOnce: 3,
		NofollowExcludes: true, FollowRelNofollow: true, LinkTags: []string{"a", "area"},
		MinWordLength: 2, MaxWordLength: 20,
		Stopwords:   []StopwordFile{{Lang: "en", Words: []string{"the"}}, {Lang: "de", Words: []string{"das", "der", "die"}}},
		MergeMemory: 1 << 30, RankShare: 0.125, HistoryKeep: 1, LogFormat: "json", LostLimit: 15,
		RobotsPolicy: "gsa", InfiniteSpaceDetection: true, InfiniteSpaceDuplicates: 5,
		MaxLostShare: 0.125, LostPeriod: 10 * day, UnreachableRemove: true,
		UnchangedChecks: 3, BaseInterval: day, MaxInterval: 14 * day, BackoffBase: 10 * time.Minute, ConnectivityInterval: time.Hour, ConnectivityShare: 0.25,
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("192.0.2.1/32")},
		DenyNetworks:  []netip.Prefix{netip.MustParsePrefix("10.6.0.0/16")},
		AllowHosts:    []string{"intranet", "a-b.example", "xn--bcher-kva.test"},
	}
	if diff := cmp.Diff(want, c.Spider, comparePrefixes, cmpopts.IgnoreFields(StopwordFile{}, "Path")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The default of BatchTimeout follows ReadTimeOut and BatchSize.
func TestBatchTimeoutDefault(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"":                               30 * time.Minute,
		"BatchSize 1\nReadTimeOut 5":     time.Minute, // never less
		"BatchSize 3\nReadTimeOut 1M":    6 * time.Minute,
		"BatchTimeout 7s\nReadTimeOut 5": 7 * time.Second,
	} {
		if got := load(t, files{spiderName: text}).Spider.BatchTimeout; got != want {
			t.Errorf("%q: BatchTimeout = %v, want %v", text, got, want)
		}
	}
}

// Precedence: flag > env > spider.cnf > default, for single values and for lists.
func TestPrecedence(t *testing.T) {
	dir := files{spiderName: "Threads 2\nLinkTags img\nAllowNetwork 10.0.0.0/8\nMinWordLength 5\n"}.write(t)
	type value struct {
		Threads int
		Tags    []string
		Allow   string
	}
	for _, c := range []struct {
		name  string
		place string
		env   map[string]string
		flags map[string]string
		want  value
	}{
		{name: "default", place: t.TempDir(), want: value{100, []string{"a"}, ""}},
		{name: "file", place: dir, want: value{2, []string{"img"}, "10.0.0.0/8"}},
		{
			name: "environment before file", place: dir,
			env:  map[string]string{"PGSEEK_THREADS": "3", "PGSEEK_LINKTAGS": "area a", "PGSEEK_ALLOWNETWORK": "::1 fd00::/8"},
			want: value{3, []string{"area", "a"}, "::1/128 fd00::/8"},
		},
		{name: "environment before default", place: t.TempDir(), env: map[string]string{"PGSEEK_THREADS": "3"}, want: value{3, []string{"a"}, ""}},
		{name: "an empty variable counts as unset", place: dir, env: map[string]string{"PGSEEK_THREADS": ""}, want: value{2, []string{"img"}, "10.0.0.0/8"}},
		{
			name: "flag before all, in any case", place: dir, env: map[string]string{"PGSEEK_THREADS": "3", "PGSEEK_LINKTAGS": "link"},
			flags: map[string]string{"threads": "4", "LINKTAGS": "frame iframe"}, want: value{4, []string{"frame", "iframe"}, "10.0.0.0/8"},
		},
		{name: "flag before default", place: t.TempDir(), flags: map[string]string{"Threads": "4"}, want: value{4, []string{"a"}, ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			got, err := Load(c.place, c.flags)
			if err != nil {
				t.Fatal(err)
			}
			var nets []string
			for _, n := range got.Spider.AllowNetworks {
				nets = append(nets, n.String())
			}
			if diff := cmp.Diff(c.want, value{got.Spider.Threads, got.Spider.LinkTags, strings.Join(nets, " ")}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Each keyword has its variable, and a value needs no quotes there.
func TestEnvironment(t *testing.T) {
	t.Setenv("PGSEEK_DBADDR", "host=/tmp user=x")
	t.Setenv("PGSEEK_USERAGENT", `my "bot"/2`)
	t.Setenv("PGSEEK_CLONES", "No")
	t.Setenv("PGSEEK_MERGEMEMORY", "1 MB")
	t.Setenv("PGSEEK_BATCHTIMEOUT", "1h")
	t.Setenv("PGSEEK_TEST_DSN", "not a keyword") // other programs' variables are not ours to judge
	s := load(t, files{spiderName: "DBAddr postgres://h/d"}).Spider
	if s.DBAddr != "host=/tmp user=x" || s.UserAgent != `my "bot"/2` || s.Clones || s.MergeMemory != 1<<20 || s.BatchTimeout != time.Hour {
		t.Errorf("spider = %+v", s)
	}
}

func TestEnvironmentProblems(t *testing.T) {
	for name, c := range map[string]struct{ value, want string }{
		"PGSEEK_ROBOTS":        {"no", "PGSEEK_ROBOTS: Robots: robots.txt is obeyed; for a host of your own write Robots no in sets.cnf, above its Server line"},
		"PGSEEK_CRAWLSCHEDULE": {"MON 01:00 2h", "PGSEEK_CRAWLSCHEDULE: CrawlSchedule: has no effect with CrawlMode once; write CrawlMode scheduled"},
		"PGSEEK_LINKTAGS":      {`"a`, "PGSEEK_LINKTAGS: LinkTags: the closing quote is missing"},
		"PGSEEK_USERAGENT":     {"a\r\nX: y", "PGSEEK_USERAGENT: UserAgent: control character U+000D"},
		"PGSEEK_STOPWORDFILE":  {"en", "PGSEEK_STOPWORDFILE: StopwordFile: 1 values, expected a language and a file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, c.value)
			if diff := cmp.Diff([]string{c.want}, problems(t, nil, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDBAddr(t *testing.T) {
	for _, s := range []string{
		"postgres://u:p@h:5432/d?sslmode=require", "postgresql://h1:1,h2:2/d", "postgres:///d?host=/tmp", "postgres://",
		"host=h dbname=d", "dbname = 'a b'", "",
	} {
		if got, err := dbAddr(s); got != s || err != nil {
			t.Errorf("%q = %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"web", "localhost:5432", "mysql://h/d", "postgres:/h", "http://h/?a=b", "postgres://h/a b", "=x", "/run/postgresql"} {
		if _, err := dbAddr(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestSpiderProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"RobotsTTL 25h", `1: RobotsTTL: "25h" is not from 1s to 1d`},
		{"Robots no", "1: Robots: robots.txt is obeyed; for a host of your own write Robots no in sets.cnf, above its Server line"},
		{"CompactStorage yes", "1: CompactStorage: pgseek does not store documents in 300 files"},
		{"IncrementalCitations yes", "1: IncrementalCitations: pgseek has no citation files"},
		{"RobotsPolicy none", `1: RobotsPolicy: "none" is not one of rfc9309, gsa`},
		{"InfiniteSpaceDetection 20", `1: InfiniteSpaceDetection: "20" is neither yes nor no`},
		{"InfiniteSpaceDuplicates 0", `1: InfiniteSpaceDuplicates: "0" is not a whole number from 1 to 10000000`},
		{"InfiniteSpaceRepeat 1", `1: InfiniteSpaceRepeat: "1" is neither 0 (off) nor a whole number from 2 to 100`}, // B77
		{"DocumentLimit -1", `1: DocumentLimit: "-1" is not a whole number from 0 to 2147483647`},
		{"DocumentLimit 1k", `1: DocumentLimit: "1k" is not a whole number from 0 to 2147483647`},
		{"LostPeriod never", `1: LostPeriod: "never" is not a time: seconds, or numbers with s, M (minute), h, d, m (month) or y`},
		{"Threads 2\nOrphanPeriod 11y", `2: OrphanPeriod: "11y" is not from 0s to 10y`},
		{"UnchangedChecks 0", `1: UnchangedChecks: "0" is not a whole number from 1 to 1000`},
		{"UrlNormalization full", `1: UrlNormalization: "full" is not supported by this version; only safe is supported`},
		{"CrawlMode scheduled", `1: CrawlMode: scheduled needs at least one line such as CrawlSchedule "MON-FRI 20:00 8h"`},
		{"CrawlSchedule MON 20:00", `1: CrawlSchedule: 2 values, expected three: days, time of day and length, as in CrawlSchedule "MON-FRI 20:00 8h"`},
		{"CrawlSchedule MOO 20:00 8h", `1: CrawlSchedule: "MOO" names no days: write *, or days such as MON, MON-FRI or SAT,SUN`},
		{"CrawlSchedule MON 24:00 8h", `1: CrawlSchedule: "24:00" is no time of day such as 20:00`},
		{"CrawlSchedule * 20:00 8d", `1: CrawlSchedule: "8d" is not from 1M to 7d`},
		{"CrawlMode daily", `1: CrawlMode: "daily" is not one of once, continuous, scheduled`},
		{"MaxLostShare 101%", `1: MaxLostShare: "101%" is more than 100%`},
		{"RankShare 101%", `1: RankShare: "101%" is more than 100%`},
		{"MaxLostShare lots", `1: MaxLostShare: "lots" is not a share: 30% or 0.30`},
		{"UnreachableRemove 4", `1: UnreachableRemove: "4" is neither yes nor no`},
		{"MaxTextSize 2049MB", `1: MaxTextSize: "2049MB" is not from 0 bytes to 2GB`},
		{"IndexLimit 10485761", `1: IndexLimit: "10485761" is not from 1 bytes to 10MB`},
		{"MaxWordLength 33", `1: MaxWordLength: "33" is not a whole number from 1 to 32`},
		{"MinWordLength 9\nMaxWordLength 8", "1: MinWordLength: 9 is more than MaxWordLength, 8"},
		{"LostLimit 16", `1: LostLimit: "16" is not a whole number from 1 to 15`},
		{"LinkTags", "1: LinkTags: a value is missing"},
		{"LinkTags a form", "1: LinkTags: forms are never followed"},
		{"LinkTags a b", `1: LinkTags: "b" is not one of a, area, frame, iframe, img, link`},
		{"UserAgent /1", `1: UserAgent: "/1" has no name before the slash`},
		{"UserAgent Bücher", `1: UserAgent: "Bücher" contains characters that are not allowed in an HTTP header`},
		{"DataDir \"\"", "1: DataDir: the path is empty"},
		{"AllowNetwork 10.0.0.0/33", `1: AllowNetwork: "10.0.0.0/33" is not a network such as 10.0.0.0/8 or fd00::/8`},
		{"DenyNetwork intranet", `1: DenyNetwork: "intranet" is not a network such as 10.0.0.0/8 or fd00::/8`},
		{"AllowHost 10.0.0.1", `1: AllowHost: "10.0.0.1" is an address; it belongs in AllowNetwork`},
		{"AllowHost http://a/", `1: AllowHost: "http://a/" is not a host name; write it without scheme, port and path`},
		{"StopwordFile english words", `1: StopwordFile: "english" is not a two-letter language code`},
		{"StopwordFile en empty", "1: StopwordFile: empty: the file contains no words"},
		{"StopwordFile en latin1", "1: StopwordFile: latin1: line 2 is not UTF-8 text"},
		{"MaxURLLength 2049", `1: MaxURLLength: "2049" is not a whole number from 16 to 2048`},
	} {
		got := problems(t, files{spiderName: c.text, "empty": "# none\n", "latin1": "a\n\xe9\n"}, nil)
		if diff := cmp.Diff([]string{spiderName + ":" + c.want}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

// A flag or a variable can contradict the file: the message names the place of the value in force.
func TestWordLengthsAreComparedOverAllSources(t *testing.T) {
	t.Setenv("PGSEEK_MAXWORDLENGTH", "4")
	want := []string{"spider.cnf:1: MinWordLength: 5 is more than MaxWordLength, 4"}
	if diff := cmp.Diff(want, problems(t, files{spiderName: "MinWordLength 5"}, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
