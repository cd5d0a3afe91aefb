package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store/report"
)

// pages render answers. Each method writes a whole page or returns an error.
type pages interface {
	contentType() string
	policy() string // Content-Security-Policy
	// language returns the language for hl and Accept-Language, and whether hl decided.
	language(asked, header string) (code string, chosen bool)
	// copyHead returns the texts above a cached copy. home and back are addresses of pages.
	copyHead(f Frame, query, home, back string) snippet.CopyHead
	copyStyle() string                              // rules for the colors of a copy
	copyPolicy() string                             // Content-Security-Policy of a copy
	home(io.Writer, Frame, *report.IndexSize) error // nil = unknown
	results(io.Writer, Frame, Answer) error
	advanced(io.Writer, Frame, Form) error
	help(io.Writer, Frame) error
	embed(w io.Writer, f Frame, form Form, base string) error
	status(io.Writer, Frame, statusAnswer) error
	explain(io.Writer, Frame, ExplainView) error
	fail(io.Writer, Frame, failure, Form) error
	// static returns a file by name, with its type. base is the address of the home page.
	static(name, base string) (body []byte, contentType string, ok bool)
}

// frame returns what all pages of a request share, and sends the headers about its language.
func (s *Server) frame(w http.ResponseWriter, r *http.Request, f Form) Frame {
	code, chosen := s.pages.language(f.Language, strings.Join(r.Header.Values("Accept-Language"), ","))
	w.Header().Set("Content-Language", code)
	w.Header().Add("Vary", "Accept-Language")
	return Frame{Root: s.o.Defaults.Root, Lang: code, Chosen: chosen}
}

// home answers / with the search form and the size of the index.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" && r.URL.Path != "/search" && r.URL.Path != "/s.cgi" {
		s.fail(w, r, failure{status: http.StatusNotFound, code: "not_found"})
		return
	}
	var size *report.IndexSize
	if b := s.backend.Load(); b != nil {
		ctx, cancel := context.WithTimeout(r.Context(), sizeTimeOut)
		defer cancel()
		var err error
		if size, err = b.Size(ctx); err != nil {
			size = nil // the page is shown without it
		}
	}
	form, _ := ReadForm(parameters(r))
	s.page(w, r, form, func(b io.Writer, f Frame) error { return s.pages.home(b, f, size) })
}

func (s *Server) advanced(w http.ResponseWriter, r *http.Request) {
	form, _ := ReadForm(parameters(r)) // as far as it is valid
	s.page(w, r, form, func(b io.Writer, f Frame) error { return s.pages.advanced(b, f, form) })
}

func (s *Server) help(w http.ResponseWriter, r *http.Request) {
	form, _ := ReadForm(parameters(r))
	s.page(w, r, form, s.pages.help)
}

// embed answers /embed with the HTML of a search box for other pages. It sends the parameters of the request.
func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	form, err := ReadForm(parameters(r))
	var wrong *query.Error
	if errors.As(err, &wrong) {
		s.fail(w, r, failure{status: http.StatusBadRequest, code: queryCodes[wrong.Kind], said: wrong})
		return
	}
	s.page(w, r, form, func(b io.Writer, f Frame) error { return s.pages.embed(b, f, form, s.base(r)) })
}

// page sends a page with status 200.
func (s *Server) page(w http.ResponseWriter, r *http.Request, form Form, write func(io.Writer, Frame) error) {
	s.pageOf(w, r, http.StatusOK, form, write)
}

// pageOf sends a page.
func (s *Server) pageOf(w http.ResponseWriter, r *http.Request, status int, form Form, write func(io.Writer, Frame) error) {
	var b bytes.Buffer
	if err := write(&b, s.frame(w, r, form)); err != nil {
		s.pageFault(w, r, err)
		return
	}
	s.send(w, status, s.pages.contentType(), b.Bytes())
}

// static answers requests for the files of the pages. Browsers revalidate them after a minute:
// the operator may change them.
func (s *Server) static(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	body, contentType, ok := s.pages.static(name, s.base(r))
	if !ok {
		s.fail(w, r, failure{status: http.StatusNotFound, code: "not_found"})
		return
	}
	if name == "opensearch.xml" && s.o.Suggest {
		body = withSuggestions(body, s.base(r))
	}
	sum := sha256.Sum256(body)
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Etag", `"`+hex.EncodeToString(sum[:8])+`"`)
	h.Set("Cache-Control", "private, max-age=60") // private: opensearch.xml contains the host of the request
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// favicon redirects from the traditional name to the icon.
func (s *Server) favicon(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("Location", s.o.Defaults.root()+"favicon.svg")
	w.WriteHeader(http.StatusMovedPermanently)
}

// base returns the address of the home page as the client knows it.
func (s *Server) base(r *http.Request) string {
	scheme, host := "http", r.Host
	if r.TLS != nil {
		scheme = "https"
	}
	if peer, ok := peerAddress(r.RemoteAddr); ok && s.trusted(peer) {
		if r.Header.Get("X-Forwarded-Proto") == "https" {
			scheme = "https"
		}
		if forwarded := r.Header.Get("X-Forwarded-Host"); forwarded != "" {
			host = forwarded
		}
	}
	if host == "" || strings.ContainsAny(host, "/\\<>\"'@?# ,") {
		host = "localhost"
	}
	return scheme + "://" + query.Clean(host) + s.o.Defaults.root()
}

// healthz answers /healthz, for load balancers.
func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	ctx, cancel := context.WithTimeout(r.Context(), pingTimeOut)
	defer cancel()
	b := s.backend.Load()
	if b == nil || b.Ping(ctx) != nil {
		s.send(w, http.StatusServiceUnavailable, "text/plain; charset=utf-8", []byte("the database does not answer\n"))
		return
	}
	s.send(w, http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
}

// Limits of /status and of its cache: it reads the whole table of URLs.
const (
	statusSites = 100
	statusRuns  = 10
	statusKept  = 5 * time.Second
	sizeTimeOut = 200 * time.Millisecond // for the numbers of the home page, which is shown without them if they are late
)

// A statusCache keeps the last status, so that many requests cost as much as one.
type statusCache struct {
	mu     sync.Mutex
	status *report.IndexStatus
	read   time.Time
}

// readStatus returns the status of the index and its age, at most statusKept. The error is that of the
// database.
func (s *Server) readStatus(ctx context.Context) (*report.IndexStatus, time.Duration, error) {
	b := s.backend.Load()
	if b == nil {
		return nil, 0, errNotConnected
	}
	s.status.mu.Lock()
	defer s.status.mu.Unlock()
	if age := time.Since(s.status.read); s.status.status != nil && age < statusKept {
		return s.status.status, age, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.TimeOut)
	defer cancel()
	status, err := b.Status(ctx, statusSites, statusRuns)
	if err != nil {
		if ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = errTimedOut
		}
		return nil, 0, err
	}
	s.status.status, s.status.read = status, time.Now()
	return status, 0, nil
}
