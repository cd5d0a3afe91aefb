package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// An Answer is the outcome of a search: a Result, or an Error of the query.
type Answer struct {
	Form    Form
	Request search.Request // of a valid query
	Result  *search.Result // nil if Err is set
	Err     *query.Error
	Begin   time.Time // time of the request, the base of "7 days back"

	status int // of HTTP
}

// search answers /search.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	begin := s.o.Now()
	values := parameters(r)
	form, err := ReadForm(values)
	if address := values.Get("ch"); address != "" { // s.cgi's cached copy
		redirect(w, "/cache?"+url.Values{"url": {address}, "q": {form.Text()}}.Encode())
		return
	}
	json := form.JSON || wantsJSON(r)
	a := Answer{Form: form, status: http.StatusOK, Begin: begin}
	if err == nil && !form.Asks() && !json {
		s.home(w, r)
		return
	}
	if err == nil {
		a.Request, err = form.Request(s.o.Defaults, begin)
	}
	if err == nil {
		a.Result, err = s.ask(r.Context(), a.Request)
	}
	var wrongQuery *query.Error
	outcome, f := "found", failure{}
	switch {
	case errors.As(err, &wrongQuery):
		outcome, a.Err, a.status = "error", wrongQuery, queryStatus(wrongQuery, json)
	case err != nil:
		f = s.failed(r, err)
		outcome = f.outcome
	case a.Result.URLs == 0:
		outcome = "empty"
	}
	s.metrics.searches.WithLabelValues(outcome).Inc()
	if err == nil || a.Err != nil || f.recorded {
		// The row is written while the answer is on its way: the client does not wait for it, but the request
		// does not end before.
		defer s.record(r, a, s.o.Now())
	}
	if f.status != 0 {
		s.fail(w, r, f)
		return
	}
	if form.Jump && s.jump(w, a.Result) {
		return
	}
	s.show(w, r, json, a)
}

// ask searches if there is a free place.
func (s *Server) ask(ctx context.Context, req search.Request) (*search.Result, error) {
	b := s.backend.Load()
	if b == nil {
		return nil, errNotConnected
	}
	leave, ok := s.enter()
	if !ok {
		return nil, errBusy
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, s.o.TimeOut)
	defer cancel()
	begin := time.Now()
	result, err := b.Search(ctx, req)
	s.metrics.seconds.Observe(time.Since(begin).Seconds())
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, errTimedOut // whatever error the database returned
	}
	return result, err
}

// jump redirects to the first result (t=any), but only to http and https: the address comes from the index.
func (s *Server) jump(w http.ResponseWriter, result *search.Result) bool {
	if result == nil || len(result.Hits) == 0 {
		return false
	}
	u, err := url.Parse(result.Hits[0].URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	redirect(w, u.String())
	return true
}

// redirect answers 302 without a body.
func redirect(w http.ResponseWriter, location string) {
	w.Header().Set("Location", location)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusFound)
}

// show sends the answer as JSON or as a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, json bool, a Answer) {
	w.Header().Add("Vary", "Accept")
	if json {
		s.sendJSON(w, a.status, newAnswerJSON(&a, s.o.Defaults))
		return
	}
	var b bytes.Buffer
	if err := s.pages.results(&b, s.frame(w, r, a.Form), a); err != nil {
		s.pageFault(w, r, err)
		return
	}
	s.send(w, a.status, s.pages.contentType(), b.Bytes())
}

// send sends a whole answer immediately, so that the client does not wait for later work.
func (s *Server) send(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "private, no-cache") // no-store would break the back button
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client has gone
	_ = http.NewResponseController(w).Flush()
}

// parameters returns the parameters of the request. Those that cannot be decoded are left out, as in net/url.
func parameters(r *http.Request) url.Values {
	values, _ := url.ParseQuery(r.URL.RawQuery)
	return values
}

// wantsJSON reports whether the Accept header prefers JSON to HTML (RFC 9110, 12.5.1). */* does not.
func wantsJSON(r *http.Request) bool {
	weight := func(names ...string) float64 {
		best := -1.0
		for _, part := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
			name, params, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			for _, n := range names {
				if n == name {
					best = max(best, quality(params))
				}
			}
		}
		return best
	}
	json := weight("application/json")
	return json > 0 && json > weight("text/html", "application/xhtml+xml")
}

// quality returns the q of an element of Accept, 1 if it has none.
func quality(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		if v, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(p), " ", ""), "q="); ok {
			if q, err := strconv.ParseFloat(v, 64); err == nil && q >= 0 && q <= 1 {
				return q
			}
			return 0
		}
	}
	return 1
}
