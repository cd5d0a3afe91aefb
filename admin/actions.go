package admin

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
)

// Actions are what the pages show and do. All of them return a sentence for the operator. A *Refusal is the operator's mistake, any
// other error is logged.
type Actions struct {
	State    func(ctx context.Context) (State, error)
	CrawlNow func(ctx context.Context) (string, error)
	Pause    func(ctx context.Context, who string) (string, error)
	Resume   func(ctx context.Context) (string, error)
	Release  func(ctx context.Context, site string) (string, error)
	Add      func(ctx context.Context, url string) (string, error)
	Recrawl  func(ctx context.Context, url string) (string, error)
	Remove   func(ctx context.Context, url string) (string, error) // nil = not offered
}

// State is what the crawl does at the moment.
type State struct {
	Phase  string // crawling, merging, waiting, paused, outage, stopped
	Paused bool
	Lines  []Line
	Holds  []Hold
}

// A Line is a fact with its name.
type Line struct{ Name, Text string }

// A Hold is a site on hold.
type Hold struct {
	Site  string
	Since time.Time
	Why   string
}

// Refusal says why an action was refused.
type Refusal struct{ Why string }

func (e *Refusal) Error() string { return e.Why }

// maxValue is the length of the longest URL that is read.
const maxValue = 8192

// do carries out an action of a form.
func (s *Server) do(w http.ResponseWriter, r *http.Request) {
	if !s.mayChange(w, r) {
		return
	}
	name, value := r.PostFormValue("action"), strings.TrimSpace(r.PostFormValue("value"))
	if len(value) > maxValue {
		s.fail(w, http.StatusBadRequest, "The value is too long.")
		return
	}
	if name == "remove" && value != "" && s.o.Actions.Remove != nil && r.PostFormValue("sure") != "yes" {
		s.confirm(w, r, value)
		return
	}
	act := s.action(name, value, s.who(r))
	if act == nil {
		s.fail(w, http.StatusBadRequest, "There is no such action.")
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), actionTime)
	defer cancel()
	says, err := act(ctx)
	log := s.o.Log.With("addr", s.who(r), "action", name, "value", printable.Log(value))
	var refused *Refusal
	switch {
	case errors.As(err, &refused):
		log.InfoContext(ctx, "an operator's action was refused", "cause", printable.Log(refused.Why))
		s.sessions.tell(r, message{Text: refused.Why, Bad: true})
	case err != nil:
		log.ErrorContext(ctx, "an operator's action failed", "cause", err)
		s.sessions.tell(r, message{Text: "This failed; the log has the reason.", Bad: true})
	default:
		log.InfoContext(ctx, "an operator's action", "result", printable.Log(says))
		s.sessions.tell(r, message{Text: says})
	}
	http.Redirect(w, r, "/admin", http.StatusSeeOther)
}

// action returns what an action does; nil if there is none of that name.
func (s *Server) action(name, value, who string) func(context.Context) (string, error) {
	a := &s.o.Actions
	withValue := map[string]func(context.Context, string) (string, error){"release": a.Release, "add": a.Add, "recrawl": a.Recrawl, "remove": a.Remove}[name]
	switch {
	case withValue != nil && value == "":
		return func(context.Context) (string, error) { return "", &Refusal{"Write a URL."} }
	case withValue != nil:
		return func(ctx context.Context) (string, error) { return withValue(ctx, value) }
	case name == "crawl":
		return a.CrawlNow
	case name == "resume":
		return a.Resume
	case name == "pause" && a.Pause != nil:
		return func(ctx context.Context) (string, error) { return a.Pause(ctx, who) }
	}
	return nil
}

// mayChange answers requests that have no session or not its token.
func (s *Server) mayChange(w http.ResponseWriter, r *http.Request) bool {
	switch logged, token := s.sessions.sent(r); {
	case !logged:
		s.fail(w, http.StatusUnauthorized, "The session has ended. Log in again.")
	case !token:
		s.o.Log.WarnContext(r.Context(), "a form without the token of its session was refused", "addr", s.who(r))
		s.fail(w, http.StatusForbidden, "The form does not belong to this session. Load the page again.")
	default:
		return true
	}
	return false
}
