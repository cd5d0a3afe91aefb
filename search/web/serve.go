package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store/report"
)

// Limits of a request (docs/reference/promises.md, Bounds). Answers have at most a few hundred KB, except for
// cached copies.
const (
	maxRequest    = 16 << 10 // the request line and its headers
	headerTimeOut = 5 * time.Second
	readTimeOut   = 10 * time.Second
	answerTimeOut = 60 * time.Second // to send an answer, in addition to the search
	idleTimeOut   = 2 * time.Minute
	statTimeOut   = 2 * time.Second // for which a request waits for its row of stat
	pingTimeOut   = time.Second
	defaultAtOnce = 16 // MaxSearches
	defaultTime   = 5 * time.Second
)

// ServerOptions are the values of searchd.conf. The zero value is usable.
type ServerOptions struct {
	Defaults    Defaults
	Look        Look
	MaxSearches int           // concurrent searches; 0 = 16
	TimeOut     time.Duration // of a search; 0 = 5s

	Suggest bool // answer /suggest
	// Origins are the sites whose scripts may read JSON answers (AllowOrigin), as browsers send them:
	// https://www.example.org
	Origins []string

	StatAddress    string         // full, short or none; empty = full
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is believed

	// Password opens the operator's part of /status, and /explain; nil = requests from this machine only.
	Password *password.Checker

	Log *slog.Logger     // nil = slog.Default()
	Now func() time.Time // nil = time.Now; its location is the time zone of dates in requests
}

// A Backend has the functions that a Server calls. They must be safe for concurrent use. Errors of the
// database are those of package store.
type Backend struct {
	Search func(context.Context, search.Request) (*search.Result, error)           // Engine.Search
	Copy   func(context.Context, search.CopyRequest) ([]byte, error)               // Engine.Copy
	Record func(context.Context, StatRow) error                                    // writes a row of table stat, once; waits for the database. ErrNotRecorded = dropped
	Status func(ctx context.Context, sites, runs int) (*report.IndexStatus, error) // store.IndexStatus
	Size   func(context.Context) (*report.IndexSize, error)                        // store.IndexSize
	Unread func(context.Context) (int64, error)                                    // store.UnreadURLs
	// Operator, Figures and Explain read what operators see. Explain returns the text of index --explain, and whether the URL is registered.
	Operator func(context.Context) (*report.OperatorStatus, error)
	Figures  func(context.Context) (*report.Figures, error)
	Explain  func(ctx context.Context, url string) (text string, known bool, err error)
	Ping     func(context.Context) error // store.Ping
	// Suggest is Engine.Suggest; nil = nothing is suggested.
	Suggest func(text string) []search.Completion
	// Databases describes the databases that are searched, for /status and /metrics; nil = there is one, about which nothing is said.
	Databases func() []Database
}

// A Server answers people and programs over HTTP. docs/http.md describes requests and answers.
//
//	/search    results      /         the form    /status      the index and the crawl   /style.css, /favicon.ico,
//	/s.cgi     the same     /advanced another     /healthz     for a load balancer       /opensearch.xml, /robots.txt,
//	/cache     a copy       /help, /embed         /metrics     for Prometheus            /logo, /suggest while typing
//	/explain   what is known of a URL, for operators
//
// With a prefix these paths are below it.
//
// It is safe for concurrent use.
type Server struct {
	o     ServerOptions
	pages pages
	mux   *http.ServeMux
	*common
}

// common has what the servers of all configurations share (Renew).
type common struct {
	newest  atomic.Pointer[Server]
	metrics *metrics
	backend atomic.Pointer[Backend]
	places  chan struct{} // one element for each running search

	status     statusCache
	operators  operatorCache
	unreadURLs unreadCount
	late       *pendingStatRows
}

// NewServer returns a server that answers 503 until Connect.
func NewServer(o ServerOptions) (*Server, error) {
	p, err := newPages(o.Defaults, o.Look)
	if err != nil {
		return nil, err
	}
	return newServer(o, p), nil
}

func newServer(o ServerOptions, p pages) *Server {
	o.setDefaults()
	s := &Server{o: o, pages: p, common: &common{places: make(chan struct{}, o.MaxSearches), late: newLateRows()}}
	s.metrics = newMetrics(s)
	s.route()
	return s
}

func (o *ServerOptions) setDefaults() {
	if o.MaxSearches <= 0 {
		o.MaxSearches = defaultAtOnce
	}
	if o.TimeOut <= 0 {
		o.TimeOut = defaultTime
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// route makes the server the one that answers requests.
func (s *Server) route() {
	s.mux = http.NewServeMux()
	for path, h := range map[string]func(http.ResponseWriter, *http.Request){
		"/": s.home, "/search": s.search, "/s.cgi": s.search, "/cache": s.copy, "/advanced": s.advanced, "/help": s.help, "/embed": s.embed,
		"/status": s.statusPage, "/healthz": s.healthz, "/metrics": s.metrics.handler.ServeHTTP,
		"/robots.txt": s.robots, "/logo": s.static, "/style.css": s.static, "/favicon.svg": s.static, "/opensearch.xml": s.static, "/favicon.ico": s.favicon,
		"/suggest": s.suggest, "/explain": s.explain,
	} {
		s.mux.HandleFunc(path, s.metrics.count(path, h))
	}
	s.newest.Store(s)
}

// Renewed returns the server with other options, whose Use makes it the one that answers requests. MaxSearches stays. The error
// is that of a template.
func (s *Server) Renewed(o ServerOptions) (*Server, error) {
	p, err := newPages(o.Defaults, o.Look)
	if err != nil {
		return nil, err
	}
	o.MaxSearches = s.o.MaxSearches
	o.setDefaults()
	return &Server{o: o, pages: p, common: s.common}, nil
}

// Use makes the server answer the requests that come from now on, also those that come to the one of which it was renewed.
func (s *Server) Use() { s.route() }

// Connect sets the backend. From then on the server answers searches.
func (s *Server) Connect(b Backend) { s.backend.Store(&b) }

// HTTP returns an http.Server with limits. The caller calls its Serve and Shutdown.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTimeOut,
		ReadTimeout:       readTimeOut,
		WriteTimeout:      s.o.TimeOut + answerTimeOut,
		IdleTimeout:       idleTimeOut,
		MaxHeaderBytes:    maxRequest - 4096, // net/http accepts 4096 bytes more
		ErrorLog:          slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
}

// ServeHTTP answers one request, by the newest options from its beginning to its end.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s = s.newest.Load()
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.o.TimeOut + answerTimeOut)) // SearchTimeOut may be a new one
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Content-Security-Policy", s.pages.policy())
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint // the value that the library compares, not an error chain
				panic(v)
			}
			s.o.Log.ErrorContext(r.Context(), "a handler panicked", "url", printable.Log(r.URL.String()), "cause", v, "stack", string(debug.Stack()))
			s.fail(w, r, failure{status: http.StatusInternalServerError, code: "internal"})
		}
	}()
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		s.fail(w, r, failure{status: http.StatusMethodNotAllowed, code: "method_not_allowed", text: "Only GET and HEAD requests are allowed."})
		return
	case r.ContentLength != 0: // bodies are not read; the connection ends
		h.Set("Connection", "close")
		s.fail(w, r, failure{status: http.StatusRequestEntityTooLarge, code: "body_not_allowed", text: "The request must not have a body."})
		return
	}
	if r = s.below(w, r); r != nil {
		s.mux.ServeHTTP(w, r)
	}
}

// enter takes one of the places for concurrent searches. It does not wait: a client that gets 503 can retry,
// and waiting requests would delay all others.
func (s *Server) enter() (leave func(), ok bool) {
	select {
	case s.places <- struct{}{}:
		var once sync.Once
		return func() { once.Do(func() { <-s.places }) }, true
	default:
		return nil, false
	}
}

// shortened returns the beginning of a valid text, at most most bytes.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && text[most]&0xC0 == 0x80 { // inside of a character
		most--
	}
	return text[:most]
}
