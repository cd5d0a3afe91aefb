package e2e

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// searchWorld is several sites whose pages a search finds: generated pages of few words, so that phrases
// recur, and pages of PostgreSQL's manual where it is installed.
type searchWorld struct {
	*world
	random *rand.Rand
	sites  []*spidertest.Site
	urls   []string // of each site, by the host that its name has
	paths  []string // of the made pages, on every site
	rules  document.Rules
	config string
	clock  time.Time // of Last-Modified
	dated  bool      // every page tells its Last-Modified
}

// searchedWords are the words of the generated pages, common ones first, with stop words, compound words, and
// text that is indexed as pairs, and words with other spellings and forms.
var searchedWords = strings.Fields(`the table index of query full and scan vacuum row page in wi-fi lock write-ahead log is tuple
	pg_stat_activity buffer 日本語の本 don't commit indexes indexing Straße naïve vacuuming tables indexed queries locking 42 v2
	checkpoint checkpointer replication replica slot slots backend 東京 timeline ÆØÅ transaction transactional isolation serializable
	résumé resume учёт учета știință ştiinţe 학교 학교에서 müller mueller
	anextremelylongwordthatnoindexwilleverstore`)

// searchStop and searchSpider are its stop.en and spider.cnf.
const (
	searchStop   = "the\nof\nand\nin\nis\n"
	searchSpider = "MaxLostShare 100%\nAllowHost localhost\nStopwordFile en stop.en\nThreads 4\n"
)

// newSearchWorld starts the sites, with n generated pages on each of the first three, and writes a
// configuration for all of them. dated says that every page is sent with Last-Modified.
func newSearchWorld(t testing.TB, seed uint64, n int, dated bool) *searchWorld {
	l := &searchWorld{dated: dated, random: rand.New(rand.NewPCG(seed, 5)), clock: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	var servers strings.Builder
	for i, host := range []string{"127.0.0.1", "127.0.0.2", "localhost", "127.0.0.3"} {
		site := spidertest.NewSite(t)
		l.sites = append(l.sites, site)
		l.urls = append(l.urls, serveAs(t, site, host))
		if i == 3 {
			fmt.Fprintf(&servers, "MaxHops 1\n")
		}
		fmt.Fprintf(&servers, "Tag %d\n", []int{0, 5, 7, 0}[i])
		fmt.Fprintf(&servers, "Server %s/\n", l.urls[i])
	}
	l.config = "HostLoad * 0 24 8\nFollowOutside no\n" + servers.String()
	l.world = newWorld(t, l.config)
	l.write("stop.en", searchStop)
	l.spider(searchSpider)
	l.rules = document.Rules{Stopwords: map[string]string{"the": "en", "of": "en", "and": "en", "in": "en", "is": "en"}}
	for i := range n {
		l.paths = append(l.paths, fmt.Sprintf([]string{"/a%d", "/b%d", "/c/%d", "/c/d/%d"}[i%4], i))
	}
	for s := range 3 {
		for _, path := range l.paths {
			l.edit(s, path)
		}
		l.front(s)
	}
	l.long()
	l.manual(150)
	return l
}

// serveAs gives a site another host name, where this machine has it.
func serveAs(t testing.TB, site *spidertest.Site, host string) string {
	if host == "127.0.0.1" {
		return site.URL
	}
	if host == "localhost" {
		return strings.Replace(site.URL, "127.0.0.1", host, 1)
	}
	listen, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", host+":0")
	if err != nil {
		return site.URL // not every system has all of 127.0.0.0/8
	}
	server := &httptest.Server{Listener: listen, Config: httptest.NewUnstartedServer(site).Config}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

func (l *searchWorld) word() string {
	// The lower of two random numbers makes words at the beginning of the list more common.
	return searchedWords[min(l.random.IntN(len(searchedWords)), l.random.IntN(len(searchedWords)))]
}

func (l *searchWorld) text(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = l.word()
	}
	return strings.Join(words, " ")
}

// edit gives a generated page another content.
func (l *searchWorld) edit(s int, path string) {
	var b strings.Builder
	fmt.Fprintf(&b, "<html lang=%q><title>%s</title>", []string{"de", "fr", "en-GB", "ru", "ro"}[l.random.IntN(5)], l.text(1+l.random.IntN(4)))
	if l.random.IntN(2) == 0 {
		fmt.Fprintf(&b, `<meta name="description" content="%s"><meta name="keywords" content="%s">`, l.text(6), l.text(4))
	}
	b.WriteString("<body>" + l.text(5+l.random.IntN(60)))
	for range l.random.IntN(4) {
		to := l.paths[l.random.IntN(len(l.paths))]
		fmt.Fprintf(&b, `. <a href="%s%s">%s</a>`, l.urls[l.random.IntN(3)], to, l.text(2))
	}
	l.set(s, path, b.String())
}

// set gives a page a content with its validators. One in four is sent without Last-Modified, unless all are
// dated.
func (l *searchWorld) set(s int, path, body string) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(body)) // never fails
	p := spidertest.Page{Body: body, ETag: fmt.Sprintf(`"%x"`, h.Sum64())}
	if l.random.IntN(4) > 0 || l.dated {
		l.clock = l.clock.Add(time.Duration(1+l.random.IntN(3600)) * time.Second)
		p.Modified = l.clock
	}
	if strings.HasPrefix(body, "<html lang") && h.Sum64()%8 == 0 {
		p.Type = "text/plain; charset=utf-8"
	}
	l.sites[s].Set(path, p)
}

// front links to all generated pages.
func (l *searchWorld) front(s int) {
	var b strings.Builder
	b.WriteString("<title>front</title>")
	for _, path := range l.paths {
		fmt.Fprintf(&b, `<a href="%s">%s</a> `, path, l.word())
	}
	l.set(s, "/", b.String())
}

// long returns a document in which ordinals are saturated, with words that follow each other beyond the
// limit.
func (l *searchWorld) long() {
	l.paths = append(l.paths, "/long")
	for s := range 2 {
		l.set(s, "/long", "<title>long</title><body>"+strings.Repeat(l.text(50)+" ", 330)+l.text(600))
		l.front(s)
	}
}

// manual puts about n pages of PostgreSQL's manual on the last site, or generated ones where it is not
// installed.
func (l *searchWorld) manual(n int) {
	l.t.Helper()
	files, err := filepath.Glob("/usr/share/doc/postgresql-doc-*/html/*.html")
	if err != nil {
		l.t.Fatal(err)
	}
	slices.Sort(files)
	var links strings.Builder
	took := 0
	for i := 0; i < len(files); i += max(1, len(files)/n) {
		body, err := os.ReadFile(files[i])
		if err != nil || len(body) > 40000 {
			continue
		}
		name := filepath.Base(files[i])
		l.set(3, "/"+name, string(body))
		fmt.Fprintf(&links, `<a href="%s">%s</a> `, name, name)
		took++
	}
	for i := took; i < 5; i++ {
		name := fmt.Sprintf("made%d", i)
		l.edit(3, "/"+name)
		fmt.Fprintf(&links, `<a href="%s">%s</a> `, name, name)
	}
	l.set(3, "/", "<title>PostgreSQL Documentation</title>"+links.String())
}

// change edits, removes, copies and redirects generated pages, and gives others a noindex.
func (l *searchWorld) change(n int) {
	for range n {
		s, path := l.random.IntN(3), l.paths[l.random.IntN(len(l.paths))]
		other := l.urls[l.random.IntN(3)] + l.paths[l.random.IntN(len(l.paths))]
		switch l.random.IntN(12) {
		case 0, 1:
			l.sites[s].Remove(path)
		case 2:
			l.sites[s].Set(path, spidertest.Page{Status: 301, Header: map[string]string{"Location": other}})
		case 3:
			l.set(s, path, `<meta name="robots" content="noindex">`+l.text(9))
		case 4, 5:
			l.set(s, path, fmt.Sprintf("<title>copy</title>the same page of number%d and full table scan", l.random.IntN(3)))
		default:
			l.edit(s, path)
		}
	}
}

// showAtOnce runs index -T on n generated pages, removed ones among them.
func (l *searchWorld) showAtOnce(n int) {
	l.t.Helper()
	var args []string
	for range n {
		args = append(args, "-T", l.urls[l.random.IntN(3)]+l.paths[l.random.IntN(len(l.paths))])
	}
	if code, out, errOut := l.try(args...); code != exitDone && code != exitFailed {
		l.t.Fatalf("%v: exit %d\n%s%s", args, code, out, errOut)
	}
}

// mergedDates returns the dates of documents after a merge of a copy of the database.
func (l *searchWorld) mergedDates() map[string]int64 {
	l.t.Helper()
	merged := l.copy("")
	merged.index("-D")
	dates := map[string]int64{}
	scanRows(merged, `SELECT w.url, floor(extract(epoch FROM d.modified))::bigint FROM docdates d JOIN urlword w USING (url_id)`,
		func(url string, date int64) { dates[url] = date })
	return dates
}

// openStore opens the database as searchd does.
func openStore(t testing.TB, dsn string) *store.DB {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{DSN: dsn, Application: "searchd"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// engine opens a search engine on a database.
func engine(t testing.TB, dsn string, o search.EngineOptions) *search.Engine {
	t.Helper()
	e, err := search.NewEngine(t.Context(), lookup.New(openStore(t, dsn)), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
