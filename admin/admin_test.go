package admin

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/internal/password"
	"golang.org/x/crypto/bcrypt"
)

const right = "correct horse"

// A desk is a server with actions that only record what they are asked for.
type desk struct {
	*Server
	log  bytes.Buffer
	did  []string
	now  time.Time
	host string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(right), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{now: time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC), host: "127.0.0.1:12346"}
	record := func(name string) func(context.Context, string) (string, error) {
		return func(_ context.Context, value string) (string, error) {
			d.did = append(d.did, strings.TrimSpace(name+" "+value))
			switch value {
			case "http://refused/":
				return "", &Refusal{"refused by sets.cnf:3"}
			case "http://broken/":
				return "", errors.New("secret detail")
			}
			return "done: " + name + " " + value, nil
		}
	}
	alone := func(name string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return record(name)(ctx, "") }
	}
	d.Server = New(Options{
		Password: password.New(string(hash)), Hosts: []string{"admin.example.org"}, Style: []byte("body{}"),
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("pgseek_x 1\n")) }),
		Log:     slog.New(slog.NewTextHandler(&d.log, nil)),
		Actions: Actions{
			State: func(context.Context) (State, error) {
				return State{Phase: "waiting", Holds: []Hold{{Site: "http://held/<b>", Since: d.now, Why: "why"}}, Lines: []Line{{"Next round", "soon\u202e"}}}, nil
			},
			CrawlNow: alone("crawl"), Resume: alone("resume"), Pause: record("pause"), Release: record("release"), Add: record("add"),
			Recrawl: record("recrawl"), Remove: record("remove"),
		},
	})
	d.sessions.now = func() time.Time { return d.now }
	return d
}

// ask sends a request; a form makes it a POST. Headers are pairs, which replace those of a browser on the page itself.
func (d *desk) ask(t *testing.T, path, cookie string, form url.Values, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(form.Encode()))
	r.Host, r.RemoteAddr = d.host, "127.0.0.1:4711"
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+d.host)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: cookieName, Value: cookie})
	}
	for i := 0; i+1 < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			r.Host = headers[i+1]
		case headers[i+1] == "":
			r.Header.Del(headers[i])
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// enter logs in and returns the cookie and the token of the session.
func (d *desk) enter(t *testing.T) (cookie, token string) {
	t.Helper()
	w := d.ask(t, "/admin/login", "", url.Values{"password": {right}})
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || len(cookies) != 1 {
		t.Fatalf("login: %d %v", w.Code, w.Header())
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/admin" || c.Secure {
		t.Errorf("cookie %+v", c)
	}
	m := tokenField.FindStringSubmatch(d.ask(t, "/admin", c.Value, nil).Body.String())
	if m == nil {
		t.Fatal("the page has no token")
	}
	return c.Value, m[1]
}

func TestActions(t *testing.T) {
	d := newDesk(t)
	cookie, token := d.enter(t)
	for _, c := range []struct{ action, value, did, says string }{
		{"crawl", "", "crawl", "done: crawl"},
		{"pause", "", "pause 127.0.0.1", "done: pause"},
		{"resume", "", "resume", "done: resume"},
		{"release", "http://held/", "release http://held/", "done: release"},
		{"add", " http://a/ ", "add http://a/", "done: add http://a/"},
		{"recrawl", "http://a/", "recrawl http://a/", "done: recrawl"},
		{"add", "http://refused/", "add http://refused/", "refused by sets.cnf:3"},
		{"add", "http://broken/", "add http://broken/", "the log has the reason"},
		{"add", "", "", "Write a URL."},
	} {
		d.did = nil
		w := d.ask(t, "/admin/do", cookie, url.Values{"token": {token}, "action": {c.action}, "value": {c.value}})
		page := d.ask(t, "/admin", cookie, nil).Body.String()
		if w.Code != http.StatusSeeOther || strings.Join(d.did, ",") != c.did || !strings.Contains(page, c.says) || strings.Contains(page, "secret detail") {
			t.Errorf("%s %q: %d, did %q, %s", c.action, c.value, w.Code, d.did, page)
		}
		if again := d.ask(t, "/admin", cookie, nil).Body.String(); strings.Contains(again, c.says) {
			t.Errorf("%s: told twice", c.action)
		}
	}
	d.did = nil
	form := url.Values{"token": {token}, "action": {"remove"}, "value": {`http://a/"<`}}
	if w := d.ask(t, "/admin/do", cookie, form); w.Code != 200 || d.did != nil || !strings.Contains(w.Body.String(), `value="http://a/&#34;&lt;"`) {
		t.Errorf("remove asks first: %d %q %s", w.Code, d.did, w.Body)
	}
	form.Set("sure", "yes")
	if w := d.ask(t, "/admin/do", cookie, form); w.Code != http.StatusSeeOther || len(d.did) != 1 {
		t.Errorf("remove: %d %q", w.Code, d.did)
	}
	if page := d.ask(t, "/admin", cookie, nil).Body.String(); strings.Contains(page, "<b>") && strings.Contains(page, "http://held/<b>") || strings.Contains(page, "\u202e") {
		t.Errorf("a foreign text is not shown as text: %s", page)
	}
	if w := d.ask(t, "/admin/do", cookie, url.Values{"token": {token}, "action": {"format"}}); w.Code != 400 {
		t.Errorf("no such action: %d", w.Code)
	}
	if log := d.log.String(); !strings.Contains(log, "addr=127.0.0.1 action=add value=http://a/") || strings.Contains(log, right) {
		t.Errorf("log: %s", log)
	}
	if w := d.ask(t, "/admin/logout", cookie, url.Values{"token": {token}}); w.Code != http.StatusSeeOther {
		t.Errorf("log out: %d", w.Code)
	}
	if w := d.ask(t, "/admin/do", cookie, url.Values{"token": {token}, "action": {"crawl"}}); w.Code != http.StatusUnauthorized {
		t.Errorf("after the end of the session: %d", w.Code)
	}
}

// TestForgedRequestsAreRefused: forms of other sites, without a token, by GET, for a foreign host, and guessed passwords change
// nothing.
func TestForgedRequestsAreRefused(t *testing.T) {
	d := newDesk(t)
	cookie, token := d.enter(t)
	good := url.Values{"token": {token}, "action": {"crawl"}}
	for _, c := range []struct {
		name, path, cookie string
		form               url.Values
		headers            []string
		status             int
	}{
		{"no cookie", "/admin/do", "", good, nil, 401},
		{"a cookie of nobody", "/admin/do", "abc", good, nil, 401},
		{"no token", "/admin/do", cookie, url.Values{"action": {"crawl"}}, nil, 403},
		{"a wrong token", "/admin/do", cookie, url.Values{"action": {"crawl"}, "token": {token[:10] + "x" + token[11:]}}, nil, 403},
		{"no Origin", "/admin/do", cookie, good, []string{"Origin", ""}, 403},
		{"Origin null", "/admin/do", cookie, good, []string{"Origin", "null"}, 403},
		{"another Origin", "/admin/do", cookie, good, []string{"Origin", "http://evil.example"}, 403},
		{"another port", "/admin/do", cookie, good, []string{"Origin", "http://127.0.0.1:80"}, 403},
		{"another site", "/admin/do", cookie, good, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"a foreign host", "/admin/do", cookie, good, []string{"Host", "evil.example", "Origin", "http://evil.example"}, 421},
		{"a foreign host that reads", "/admin", cookie, nil, []string{"Host", "127.0.0.1.evil.example"}, 421},
		{"no host", "/admin", cookie, nil, []string{"Host", ""}, 421},
		{"a GET", "/admin/do?action=crawl&token=" + token, cookie, nil, nil, 405},
		{"a GET to log out", "/admin/logout?token=" + token, cookie, nil, nil, 405},
		{"a token in the address", "/admin/do?action=crawl&token=" + token, cookie, url.Values{}, nil, 403},
		{"a POST to the page", "/admin", cookie, good, nil, 405},
		{"a login from another site", "/admin/login", "", url.Values{"password": {right}}, []string{"Origin", "http://evil.example"}, 403},
		{"a long body", "/admin/do", cookie, url.Values{"token": {token}, "action": {"add"}, "value": {strings.Repeat("x", 1<<20)}}, nil, 403},
		{"a long value", "/admin/do", cookie, url.Values{"token": {token}, "action": {"add"}, "value": {strings.Repeat("x", maxValue+1)}}, nil, 400},
		{"metrics by a name of the proxy", "/metrics", "", nil, []string{"Host", "admin.example.org"}, 404},
		{"another path", "/etc/passwd", cookie, nil, nil, 404},
	} {
		w := d.ask(t, c.path, c.cookie, c.form, c.headers...)
		if w.Code != c.status || len(d.did) > 0 {
			t.Errorf("%s: %d, want %d; did %q", c.name, w.Code, c.status, d.did)
			d.did = nil
		}
		if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Frame-Options") != "DENY" {
			t.Errorf("%s: %v", c.name, w.Header())
		}
	}
	if w := d.ask(t, "/metrics", "", nil); w.Code != 200 {
		t.Errorf("metrics: %d", w.Code)
	}
	for i := range 7 {
		w := d.ask(t, "/admin/login", "", url.Values{"password": {"wrong"}})
		if want := map[bool]int{true: 401, false: 429}[i < password.PerAddress]; w.Code != want {
			t.Errorf("wrong password %d: %d, want %d", i, w.Code, want)
		}
	}
	if w := d.ask(t, "/admin/login", "", url.Values{"password": {right}}); w.Code != 429 {
		t.Errorf("the right one now: %d", w.Code)
	}
	if strings.Contains(d.log.String(), right) || !strings.Contains(d.log.String(), "addr=127.0.0.1") {
		t.Errorf("log: %s", &d.log)
	}
}

// TestBehindAProxy: AdminHost admits the name of a proxy with TLS, whose cookie is for TLS only.
func TestBehindAProxy(t *testing.T) {
	d := newDesk(t)
	d.host = "admin.example.org"
	w := d.ask(t, "/admin/login", "", url.Values{"password": {right}}, "Origin", "https://admin.example.org", "X-Forwarded-Proto", "https", "X-Forwarded-For", "198.51.100.7, 192.0.2.9")
	if c := w.Result().Cookies(); w.Code != http.StatusSeeOther || len(c) != 1 || !c[0].Secure {
		t.Errorf("login: %d %v", w.Code, w.Header())
	}
	if !strings.Contains(d.log.String(), "addr=192.0.2.9") {
		t.Errorf("log: %s", &d.log)
	}
}

func TestSessionsExpire(t *testing.T) {
	d := newDesk(t)
	cookie, _ := d.enter(t)
	inside := func() bool { return strings.Contains(d.ask(t, "/admin", cookie, nil).Body.String(), "Log out") }
	d.now = d.now.Add(idleExpiry - time.Second)
	if !inside() {
		t.Error("ended too early")
	}
	d.now = d.now.Add(idleExpiry)
	if inside() {
		t.Error("an idle session goes on")
	}
	cookie, _ = d.enter(t)
	for range 100 {
		d.now = d.now.Add(10 * time.Minute)
		_ = inside()
	}
	if inside() {
		t.Error("a session goes on for ever")
	}
	for range 3 * maxSessions {
		d.sessions.begin()
	}
	if n := len(d.sessions.all); n != maxSessions {
		t.Errorf("%d sessions", n)
	}
}

// TestServe: the server ends with its context.
func TestServe(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())
	listener := httptest.NewUnstartedServer(nil).Listener
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, listener, d.o) }()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String()+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != 200 || answer.Request.URL.Path != "/admin" {
		t.Errorf("%d %s", answer.StatusCode, answer.Request.URL)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
