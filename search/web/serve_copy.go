package web

import (
	"context"
	"errors"
	"math"
	"net/http"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
)

// maxURL is the maximum length of a URL in the index.
const maxURL = 2048

// copy answers /cache. It counts as a search, because it reads and marks a whole document.
func (s *Server) copy(w http.ResponseWriter, r *http.Request) {
	page, err := s.readCopy(w, r)
	var wrongParameter *query.Error
	switch {
	case errors.As(err, &wrongParameter):
		s.fail(w, r, failure{status: http.StatusBadRequest, code: queryCodes[wrongParameter.Kind], said: wrongParameter})
		return
	case errors.Is(err, search.ErrUnknownDocument):
		s.fail(w, r, failure{status: http.StatusNotFound, code: "no_document", text: "There is no cached copy, because the document is not in the index."})
		return
	case errors.Is(err, snippet.ErrNoArchive):
		s.fail(w, r, failure{status: http.StatusNotFound, code: "no_copy", text: "This document forbids a cached copy."})
		return
	case errors.Is(err, document.ErrTooSlow):
		s.fail(w, r, failure{status: http.StatusServiceUnavailable, code: "timed_out", text: "This document is too complex to display."})
		return
	case err != nil:
		s.fail(w, r, s.failed(r, err))
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", s.pages.copyPolicy())
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive") // search engines should index the original
	s.send(w, http.StatusOK, "text/html; charset=utf-8", page)
}

// readCopy reads the parameters and the copy.
func (s *Server) readCopy(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	p := formReader{values: parameters(r)}
	request := search.CopyRequest{URLID: int32(p.number("id", 1, math.MaxInt32)), URL: p.text("url")}
	if p.err != nil {
		return nil, p.err
	}
	switch {
	case request.URLID == 0 && request.URL == "":
		return nil, wrong("id", "The parameter id or url is missing.")
	case len(request.URL) > maxURL:
		return nil, wrong("url", "An address of %d bytes is too long: %d are allowed.", len(request.URL), maxURL)
	}
	// A query that cannot be parsed is not marked: the request is for the copy.
	if form, err := ReadForm(p.values); err == nil {
		if query, err := form.Parse(s.o.Defaults.Parse); err == nil && query.Link == "" {
			request.Query = query
		}
		back, home := "", s.base(r)
		if form.Asks() {
			back = home + "search?" + form.Encode()
		}
		request.Style = s.pages.copyStyle()
		request.Head = s.pages.copyHead(s.frame(w, r, form), form.Text(), home, back)
	}
	b := s.backend.Load()
	if b == nil {
		return nil, errNotConnected
	}
	leave, ok := s.enter()
	if !ok {
		return nil, errBusy
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), s.o.TimeOut)
	defer cancel()
	page, err := b.Copy(ctx, request)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, errTimedOut
	}
	return page, err
}
