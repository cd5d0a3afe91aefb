package admin

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/internal/printable"
)

// Limits of a request.
const (
	maxHeader     = 16 << 10
	maxBody       = 16 << 10
	requestTime   = 10 * time.Second
	actionTime    = 30 * time.Second
	answerTime    = actionTime + 10*time.Second
	idleTime      = time.Minute
	shutdownTime  = 2 * time.Second
	maxConcurrent = 32
)

// Options say what the pages do.
type Options struct {
	Password *password.Checker // nil = nobody comes in
	Hosts    []string          // names under which a proxy serves the pages, in lower case; this machine is always one
	Actions  Actions
	Style    []byte       // style.css
	Metrics  http.Handler // of /metrics, for this machine only; nil = none
	Log      *slog.Logger
}

// A Server answers the requests of operators.
type Server struct {
	o        Options
	sessions *sessions
	places   chan struct{}
}

// New returns a Server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Server{o: o, sessions: newSessions(), places: make(chan struct{}, maxConcurrent)}
}

// Serve answers requests until ctx ends.
func Serve(ctx context.Context, listener net.Listener, o Options) error {
	s := New(o)
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: requestTime, ReadTimeout: requestTime, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader - 4096, // net/http accepts 4096 bytes more
		ErrorLog:       slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(done)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if h.Shutdown(ending) != nil {
			_ = h.Close()
		}
	})
	err := h.Serve(listener)
	if !stop() {
		<-done
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer browsers send no Origin with a form
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	defer func() {
		if v := recover(); v != nil {
			s.o.Log.ErrorContext(r.Context(), "a handler panicked", "url", printable.Log(r.URL.Path), "cause", v, "stack", string(debug.Stack()))
			s.fail(w, http.StatusInternalServerError, "Something went wrong. The log has the reason.")
		}
	}()
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	default:
		s.fail(w, http.StatusServiceUnavailable, "Too many requests at the same time.")
		return
	}
	own, known := s.host(r.Host)
	if !known {
		s.fail(w, http.StatusMisdirectedRequest, "This host is not served here. AdminHost in spider.cnf names the hosts of a proxy.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.route(w, r, own)
}

// host reports whether a Host header names this machine, and whether it names a host that is served.
func (s *Server) host(host string) (own, known bool) {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	own = host == "localhost" || err == nil && addr.IsLoopback()
	return own, own || slices.Contains(s.o.Hosts, host)
}

// route calls the handler of a path. What changes something is a POST.
func (s *Server) route(w http.ResponseWriter, r *http.Request, own bool) {
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	method := "GET, HEAD"
	var handle func(http.ResponseWriter, *http.Request)
	switch r.URL.Path {
	case "/":
		handle = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/admin", http.StatusSeeOther) }
	case "/admin":
		handle = s.home
	case "/style.css":
		handle = s.style
	case "/metrics":
		if own && s.o.Metrics != nil {
			handle = s.o.Metrics.ServeHTTP
		}
	case "/admin/login":
		method, handle = http.MethodPost, s.login
	case "/admin/logout":
		method, handle = http.MethodPost, s.logout
	case "/admin/do":
		method, handle = http.MethodPost, s.do
	}
	switch {
	case handle == nil:
		s.fail(w, http.StatusNotFound, "There is no page at this address.")
	case method == http.MethodPost && r.Method != http.MethodPost, method != http.MethodPost && !reads:
		w.Header().Set("Allow", method)
		s.fail(w, http.StatusMethodNotAllowed, "This address is for "+method+" requests.")
	case method == http.MethodPost && !sameOrigin(r):
		s.o.Log.WarnContext(r.Context(), "a form of another site was refused", "addr", s.who(r), "origin", printable.Log(r.Header.Get("Origin")))
		s.fail(w, http.StatusForbidden, "The form does not come from this site.")
	default:
		handle(w, r)
	}
}

// sameOrigin reports whether a form comes from a page of this server.
func sameOrigin(r *http.Request) bool {
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" && from != "same-origin" {
		return false
	}
	scheme, host, _ := strings.Cut(r.Header.Get("Origin"), "://")
	return (scheme == "http" || scheme == "https") && strings.EqualFold(host, r.Host)
}

// who returns the address of the operator. A proxy, which Hosts names, tells it.
func (s *Server) who(r *http.Request) string {
	peer, _, _ := net.SplitHostPort(r.RemoteAddr)
	if own, _ := s.host(r.Host); own {
		return peer
	}
	list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	addr, err := netip.ParseAddr(strings.TrimSpace(list[len(list)-1]))
	if err != nil {
		return peer
	}
	return addr.Unmap().WithZone("").String()
}

func (s *Server) style(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	w.Header().Set("Cache-Control", "private, max-age=60")
	_, _ = w.Write(s.o.Style)
}
