package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// This file has where searchd stands in a web site: below a path of it (Prefix), read by scripts of others
// (AllowOrigin), and what crawlers may fetch.

// hostPaths are asked for without the prefix, too: by load balancers and monitors, which talk to searchd itself,
// and by crawlers.
var hostPaths = []string{"/healthz", "/metrics", "/robots.txt"}

// below returns the request with its path below the prefix. It answers requests for other paths itself and
// returns nil.
func (s *Server) below(w http.ResponseWriter, r *http.Request) *http.Request {
	root := s.o.Defaults.root()
	path, ok := strings.CutPrefix(r.URL.Path, root)
	switch {
	case root == "/" || slices.Contains(hostPaths, r.URL.Path):
		return r
	case ok:
		below := new(http.Request)
		*below = *r
		below.URL = new(url.URL)
		*below.URL = *r.URL
		below.URL.Path, below.URL.RawPath = "/"+path, ""
		return below
	case r.URL.Path+"/" == root:
		w.Header().Set("Location", (&url.URL{Path: root, RawQuery: r.URL.RawQuery}).String())
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusMovedPermanently)
		return nil
	}
	s.fail(w, r, failure{status: http.StatusNotFound, code: "not_found"})
	return nil
}

// allowOrigin sends the headers that let scripts of the sites of AllowOrigin read a JSON answer. Answers are
// public and have no cookies, so that none are allowed.
func (s *Server) allowOrigin(w http.ResponseWriter, r *http.Request) {
	if len(s.o.Origins) == 0 {
		return
	}
	w.Header().Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); slices.Contains(s.o.Origins, origin) {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
}

// robots answers /robots.txt. Results and copies are without end for a crawler, and the originals are elsewhere.
func (s *Server) robots(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range []string{"search", "s.cgi", "cache", "advanced", "embed", "suggest", "status", "explain", "healthz", "metrics"} {
		b.WriteString("Disallow: " + s.o.Defaults.root() + path + "\n")
	}
	w.Header().Set("Cache-Control", "public, max-age=86400")
	s.send(w, http.StatusOK, "text/plain; charset=utf-8", []byte(b.String()))
}
