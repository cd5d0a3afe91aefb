package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
)

// Reasons why a search was not begun or not completed.
var (
	errBusy         = errors.New("too many searches at once")
	errNotConnected = errors.New("not connected to the database yet")
	errTimedOut     = errors.New("search timed out")
)

// A failure is an error answer. Its text is for people and has no internal details.
type failure struct {
	status   int    // of HTTP
	code     string // for programs, docs/http.md
	text     string // sentences, a format if there are args; empty = the default for the status
	args     []any
	said     *query.Error // the text, if it is about a parameter
	retry    int          // seconds of Retry-After; 0 = none
	recorded bool         // write a row of stat: the database was available
	outcome  string       // for pgseek_searches_total
}

// english returns the text for programs.
func (f *failure) english() string {
	switch {
	case f.said != nil:
		return f.said.Error()
	case len(f.args) == 0:
		return f.text
	}
	return fmt.Sprintf(f.text, f.args...)
}

// failed classifies an error of a backend and logs it.
func (s *Server) failed(r *http.Request, err error) failure {
	away := failure{
		outcome: "unavailable", status: http.StatusServiceUnavailable, code: "database_away", retry: 5,
		text: "The database is not available. Please try again in a moment.",
	}
	switch state := sqlState(err); {
	case errors.Is(err, errBusy):
		return failure{
			outcome: "busy", status: http.StatusServiceUnavailable, code: "busy", retry: 1,
			text: "The server is running its maximum number of searches. Please try again in a moment.",
		}
	case errors.Is(err, errTimedOut), errors.Is(err, context.DeadlineExceeded), state == "57014":
		return failure{
			outcome: "timed_out", status: http.StatusServiceUnavailable, code: "timed_out", recorded: true,
			text: "The search took longer than %s and was canceled. Fewer words, longer patterns or a site filter make it faster.", args: []any{s.o.TimeOut},
		}
	case errors.Is(err, context.Canceled): // the client has gone
		return failure{outcome: "cancelled", status: http.StatusServiceUnavailable, code: "cancelled"}
	case errors.Is(err, errNotConnected):
		return away
	case errors.Is(err, store.ErrUnavailable), len(state) == 5 && strings.Contains(" 08 25 28 3D 42 53 55 57 58 ", " "+state[:2]+" "):
		s.o.Log.WarnContext(r.Context(), "the database does not answer", "url", printable.Log(r.URL.String()), "cause", err)
		return away
	}
	s.o.Log.ErrorContext(r.Context(), "request failed", "url", printable.Log(r.URL.String()), "cause", err)
	return failure{outcome: "failed", status: http.StatusInternalServerError, code: "internal", recorded: true}
}

// sqlState returns the SQLSTATE of an error, empty if it has none.
func sqlState(err error) string {
	var said interface{ SQLState() string }
	if errors.As(err, &said) {
		return said.SQLState()
	}
	return ""
}

// fail answers with a failure, as JSON if the request wants JSON.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, f failure) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Add("Vary", "Accept")
	if f.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(f.retry))
	}
	form, _ := ReadForm(parameters(r)) // as far as it is valid
	if form.JSON || wantsJSON(r) {
		text := f.english()
		if text == "" {
			text = http.StatusText(f.status) + "."
		}
		s.sendJSON(w, f.status, errorAnswer{Error: errorJSON{Code: f.code, Text: text}})
		return
	}
	var b bytes.Buffer
	if err := s.pages.fail(&b, s.frame(w, r, form), f, form); err != nil {
		s.pageFault(w, r, err)
		return
	}
	s.send(w, f.status, s.pages.contentType(), b.Bytes())
}

// pageFault answers if a page could not be rendered, without rendering another one.
func (s *Server) pageFault(w http.ResponseWriter, r *http.Request, err error) {
	s.o.Log.ErrorContext(r.Context(), "cannot render a page", "url", printable.Log(r.URL.String()), "cause", err)
	s.send(w, http.StatusInternalServerError, "text/plain; charset=utf-8", []byte("Something went wrong. The log of the server has the details.\n"))
}

// queryStatus returns the HTTP status for an error of a query. If the query has nothing to find, the result
// is empty and the answer gives the reason. Other queries cannot be parsed (B38, B39): a person sees the
// place of the error on a page with status 200, a program gets 400.
func queryStatus(e *query.Error, json bool) int {
	for _, kind := range []error{query.ErrEmpty, query.ErrOnlyStopWords, query.ErrOnlyExclusions, query.ErrOnlySites, query.ErrTooShort} {
		if errors.Is(e, kind) {
			return http.StatusOK
		}
	}
	if !json && (errors.Is(e, query.ErrExtraSymbol) || errors.Is(e, query.ErrLinkNotAlone)) {
		return http.StatusOK
	}
	return http.StatusBadRequest
}

// queryCodes are the codes of query errors for programs.
var queryCodes = map[error]string{
	query.ErrEmpty: "empty_query", query.ErrOnlyStopWords: "only_stop_words", query.ErrOnlyExclusions: "only_exclusions", query.ErrOnlySites: "only_sites",
	query.ErrTooShort: "pattern_too_short", query.ErrExtraSymbol: "extra_symbol", query.ErrLinkNotAlone: "link_not_alone", query.ErrTooLong: "too_long",
	query.ErrTooManyTerms: "too_many_terms", query.ErrTooDeep: "too_deep", ErrParameter: "bad_parameter",
}
