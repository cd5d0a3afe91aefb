package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store/storetest"
)

// everyParameter has the parameters of docs/http.md, and one that does not exist.
var everyParameter = strings.Fields(`q r in iq im xq xm is site xs ln bd ds kw tl cs ul sp sp3 st dt dp dx dd dm dy db de fr to ps np page s gr fm ad t explain
	format ch id url noparameter`)

// TestHostile crawls, searches for and shows titles, addresses, queries, referrers and parameters with
// injected SQL, HTML and headers. None of them may become an element, an attribute, a header or SQL, and no
// answer may be 500 (B38, B39). It runs a sample of 100; make soak runs 1,000.
func TestHostile(t *testing.T) {
	t.Parallel()
	many := 100
	if os.Getenv("PGSEEK_SOAK") != "" {
		many = 1000
	}
	dsn := storetest.New(t)
	site := hostileSite(t, many)
	h := &hostileTest{shape: readShape(t), asked: map[string]bool{}}
	h.install = newInstall(t, dsn, "MaxHops 1\nServer "+site+"/\n", "Threads 4\n", "MaxSearches 20\nSearchTimeOut 60s\nMinFixedPatternLength 1\n")
	h.run()
	h.serve()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	ids := hostileDocuments(t, conn)
	if len(ids) < many*9/10 {
		t.Errorf("only %d of %d hostile pages are in the index", len(ids), many)
	}
	before := tables(t, conn)

	random := rand.New(rand.NewPCG(7, 7))
	for i := range many {
		h.page(i, ids[i], random)
		h.query(random)
		h.parameters(i, random)
		h.raw(random)
	}
	h.halt()
	if diff := cmp.Diff(before, tables(t, conn)); diff != "" {
		t.Errorf("searches changed the tables:\n%s", diff)
	}
	h.checkStat(conn)
	storetest.CheckInvariants(t, dsn)
	t.Logf("%d pages in the index, %d answers looked at", len(ids), h.answers)
}

// hostileSite serves the hostile pages, each at a hostile address.
func hostileSite(t *testing.T, many int) string {
	random := rand.New(rand.NewPCG(6, 6))
	pages := make([]string, many)
	var home strings.Builder
	for i := range pages {
		pages[i] = hostilePage(random, i)
		address := hostile(random)
		address = address[:min(len(address), 300)]
		if random.IntN(2) == 0 {
			address = url.PathEscape(address)
		} else {
			address = "?x=" + url.QueryEscape(address)
		}
		fmt.Fprintf(&home, "<a href=\"/%d/%s\">x</a>\n", i, escaped(address))
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		number, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		i, err := strconv.Atoi(number)
		switch {
		case r.URL.Path == "/":
			_, _ = w.Write([]byte(home.String()))
		case err != nil || i < 0 || i >= many:
			http.NotFound(w, r)
		default:
			_, _ = w.Write([]byte(pages[i]))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// hostileDocuments returns the url_ids of the hostile pages by their numbers.
func hostileDocuments(t *testing.T, conn *pgx.Conn) map[int]int {
	rows, err := conn.Query(t.Context(), `SELECT substring(url from '://[^/]*/(\d+)/')::int, min(url_id) FROM urlword WHERE status = 200 AND url ~ '://[^/]*/\d+/' GROUP BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[int]int{}
	var i, id int
	if _, err := pgx.ForEachRow(rows, []any{&i, &id}, func() error { ids[i] = id; return nil }); err != nil {
		t.Fatal(err)
	}
	return ids
}

// tables returns the content of each table except stat, and the other objects of the schema.
func tables(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	texts := func(sql string) []string {
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		list, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	all := map[string]string{}
	for _, name := range texts(`SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'stat'`) {
		all[name] = texts(`SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\n' ORDER BY t::text)), '') FROM ` + pgx.Identifier{name}.Sanitize() + ` t`)[0]
	}
	all["catalog"] = strings.Join(texts(`SELECT relkind::text || ' ' || relname FROM pg_class WHERE relnamespace = 'public'::regnamespace UNION ALL
		SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`), "\n")
	return all
}

// hostileTest sends requests and checks the answers.
type hostileTest struct {
	*install
	shape   shape
	asked   map[string]bool // queries that stat must have, to the letter
	answers int
}

// get sends a request and checks its answer with look.
func (h *hostileTest) get(target string, headers ...string) page {
	h.t.Helper()
	p, err := h.ask(context.Background(), target, headers...)
	if err != nil {
		h.t.Errorf("%.200q: %v", target, err)
		return p
	}
	h.look(target, p)
	return p
}

// look checks the properties that every answer must have.
func (h *hostileTest) look(target string, p page) {
	h.t.Helper()
	h.answers++
	contentType := p.header.Get("Content-Type")
	var problem string
	switch {
	case !slices.Contains([]int{200, 302, 400, 404, 431}, p.status):
		problem = "status"
	case p.header.Get("Set-Cookie") != "" || p.header.Get("Evil") != "":
		problem = "a header from outside"
	case !validLocation(p.header.Get("Location")):
		problem = "leads to " + p.header.Get("Location")
	case strings.HasPrefix(contentType, "application/x-suggestions+json") && (!json.Valid([]byte(p.body)) || strings.ContainsAny(p.body, "<>&")):
		problem = "no JSON without signs of HTML"
	case strings.HasPrefix(contentType, "application/json") && (!json.Valid([]byte(p.body)) || !utf8.ValidString(p.body)):
		problem = "no JSON"
	case strings.HasPrefix(contentType, "text/html") && strings.HasPrefix(target, "/cache?") && p.status == 200:
		problem = checkCopy(p)
	case strings.HasPrefix(contentType, "text/html"):
		problem = h.shape.check(p.body)
	}
	if problem != "" && h.t.Failed() {
		problem = fmt.Sprintf("%.200s", problem) // one whole page is enough
	}
	if problem != "" {
		h.t.Errorf("%.300q: %s\n%d %v\n%.3000s", target, problem, p.status, p.header, p.body)
	}
}

// validLocation reports whether a redirect leads to a web page or to a cached copy.
func validLocation(location string) bool {
	u, err := url.Parse(location)
	return location == "" || err == nil && (u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") || u.Host == "" && u.Scheme == "" && strings.HasPrefix(location, "/cache?"))
}

// page finds a hostile page by its word and checks its copy.
func (h *hostileTest) page(i, id int, random *rand.Rand) {
	if id == 0 {
		return
	}
	word := hostileWord(i)
	for _, more := range []string{"", "&explain=1"} {
		if p := h.get("/search?q=" + word + more); !strings.Contains(p.body, "<strong>1 document</strong>") {
			h.t.Errorf("%s is not found: %.2000s", word, p.body)
		}
	}
	var a struct{ Results []struct{ Title string } }
	p := h.get("/search?format=json&q=" + word)
	if err := json.Unmarshal([]byte(p.body), &a); err != nil || len(a.Results) != 1 || !strings.HasPrefix(a.Results[0].Title, word) {
		h.t.Errorf("%s: %v %s", word, err, p.body)
	}
	h.get("/search?t=any&q=" + word)
	h.get(fmt.Sprintf("/cache?id=%d&q=%s", id, url.QueryEscape(word+" "+hostile(random))))
}

// query searches for a hostile text, sent by a browser with hostile headers.
func (h *hostileTest) query(random *rand.Rand) {
	text := hostile(random)
	q := url.QueryEscape(text)
	headers := func() (pairs []string) {
		pairs = []string{"Referer", pick(random, headerValue(hostile(random)), headerValue("http://user:secret@evil.example/"+hostile(random))+"?secret=1#secret")}
		for _, name := range []string{"User-Agent", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Cookie", "Accept-Language"} {
			pairs = append(pairs, name, headerValue(hostile(random)))
		}
		return pairs
	}
	p := h.get("/search?q="+q, headers()...)
	h.get("/search?format=json&q="+q, headers()...)
	h.get("/s.cgi?q="+q, append(headers(), "Accept", headerValue("application/json;q="+hostile(random)))...)
	h.get("/advanced?q="+q, headers()...)
	h.get("/cache?url="+q, headers()...)
	h.get("/"+url.PathEscape(text), headers()...)
	h.get("/opensearch.xml?"+q, headers()...)
	h.get("/suggest?q="+q, headers()...)
	if plainText(text) && p.status == 200 {
		h.asked[strings.TrimSpace(text)] = true
	}
}

// plainText reports whether stat has a text as it was sent.
func plainText(text string) bool {
	return utf8.ValidString(text) && strings.TrimSpace(text) != "" && len(text) <= 1024 && !strings.ContainsFunc(text, unicode.IsControl)
}

// parameters puts hostile texts into each parameter in turn, and into all of them at once.
func (h *hostileTest) parameters(i int, random *rand.Rand) {
	one := url.Values{"q": {"stands"}}
	one.Set(everyParameter[i%len(everyParameter)], hostile(random))
	all := url.Values{}
	for _, name := range everyParameter {
		all.Set(name, limited(hostile(random), 60))
	}
	two := url.Values{"q": {"stands"}}
	for range 3 {
		two.Set(pick(random, everyParameter...), limited(hostile(random), 300))
	}
	for _, values := range []url.Values{one, all, two} {
		h.get("/search?" + values.Encode())
		h.get(pick(random, "/advanced", "/cache", "/status", "/") + "?" + values.Encode())
		values.Set("format", "json")
		values.Del("ch")
		h.get(pick(random, "/search", "/search", "/s.cgi", "/status") + "?" + values.Encode())
	}
}

// raw sends requests that no client would send: unescaped bytes in the address and in headers.
func (h *hostileTest) raw(random *rand.Rand) {
	target := strings.NewReplacer(" ", "+", "\r", "", "\n", "").Replace("/search?q=" + hostile(random) + "&" + pick(random, everyParameter...) + "=" + hostile(random))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(h.url, "http://"))
	if err != nil {
		h.t.Error(err)
		return
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		h.t.Error(err)
	}
	request := "GET " + target + " HTTP/1.1\r\nHost: " + pick(random, "127.0.0.1", "evil.example", hostile(random)) + "\r\nReferer: " + hostile(random) + "\r\nConnection: close\r\n\r\n"
	if _, err := conn.Write([]byte(request)); err != nil {
		return // it was answered, and closed, before all was sent
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return // closed with what was sent unread
	}
	defer func() { _ = answer.Body.Close() }()
	var body strings.Builder
	_, _ = bufio.NewReader(answer.Body).WriteTo(&body)
	h.look(target, page{answer.StatusCode, answer.Header, body.String()})
}

// checkStat verifies that table stat has the texts as they were sent, and referrers without query and
// password.
func (h *hostileTest) checkStat(conn *pgx.Conn) {
	rows, err := conn.Query(h.t.Context(), `SELECT query, referer, addr FROM stat`)
	if err != nil {
		h.t.Fatal(err)
	}
	has := map[string]bool{}
	var query, referer, addr string
	if _, err := pgx.ForEachRow(rows, []any{&query, &referer, &addr}, func() error {
		has[query] = true
		if strings.ContainsAny(referer, "?\r\n\x00") || strings.Contains(referer, "secret") || addr != "127.0.0.1" || strings.ContainsFunc(query, unicode.IsControl) {
			h.t.Errorf("stat has %q from %q by %q", query, referer, addr)
		}
		return nil
	}); err != nil {
		h.t.Fatal(err)
	}
	if len(h.asked) < 20 {
		h.t.Errorf("only %d texts were looked for in stat", len(h.asked))
	}
	for text := range h.asked {
		if !has[text] {
			h.t.Errorf("stat lacks %q", text)
		}
	}
}

// headerValue returns the part of a text that a client may send in a header.
func headerValue(text string) string {
	return limited(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, text), 300)
}

func limited(text string, most int) string { return text[:min(len(text), most)] }
