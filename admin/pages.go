package admin

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/internal/printable"
)

//go:embed pages
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"plain": plain, "lines": lines, "moment": func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05 MST") },
}).ParseFS(pageFiles, "pages/*.html"))

// plain removes characters that a browser does not show as text, and those that change the direction of the following text.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

// lines returns the lines of a text that are not empty.
func lines(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }) }

type view struct {
	Title, Token string
	Says         message
	State        *State // of the page for operators; nil = the form for the password
	Removes      bool
	Sure         string // the URL whose removal is to be confirmed
	Fail         string
	Open         bool // a password is set
}

func (s *Server) page(w http.ResponseWriter, status int, name string, v view) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, v); err != nil {
		s.o.Log.Error("cannot render a page", "cause", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes())
}

func (s *Server) fail(w http.ResponseWriter, status int, text string) {
	s.page(w, status, "fail", view{Title: http.StatusText(status), Fail: text})
}

// home answers /admin: with the form for the password, if there is no session.
func (s *Server) home(w http.ResponseWriter, r *http.Request) {
	token, says, ok := s.sessions.find(r)
	if !ok {
		s.page(w, http.StatusOK, "login", view{Title: "Log in", Open: s.o.Password != nil})
		return
	}
	state, err := s.o.Actions.State(r.Context())
	if err != nil {
		s.o.Log.ErrorContext(r.Context(), "cannot read the state of the crawl", "cause", err)
		s.fail(w, http.StatusServiceUnavailable, "The database does not answer. The log has the reason.")
		return
	}
	s.page(w, http.StatusOK, "home", view{Title: "Administration", Token: token, Says: says, State: &state, Removes: s.o.Actions.Remove != nil})
}

// confirm asks whether a URL is to be removed.
func (s *Server) confirm(w http.ResponseWriter, r *http.Request, url string) {
	token, _, _ := s.sessions.find(r)
	s.page(w, http.StatusOK, "sure", view{Title: "Remove a URL", Token: token, Sure: url})
}

// login begins a session.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, text string) {
		s.page(w, status, "login", view{Title: "Log in", Open: s.o.Password != nil, Says: message{Text: text, Bad: true}})
	}
	if s.o.Password == nil {
		refuse(http.StatusForbidden, "No password is set.")
		return
	}
	err := s.o.Password.Check(s.who(r), r.PostFormValue("password"))
	switch {
	case errors.Is(err, password.ErrTooMany):
		w.Header().Set("Retry-After", "60")
		refuse(http.StatusTooManyRequests, "Too many wrong passwords. Try again in a minute.")
	case err != nil:
		s.o.Log.WarnContext(r.Context(), "a wrong password for /admin", "addr", printable.Log(s.who(r)))
		refuse(http.StatusUnauthorized, "The password is wrong.")
	default:
		s.sessions.end(r)
		setCookie(w, r, s.sessions.begin())
		s.o.Log.InfoContext(r.Context(), "an operator has logged in", "addr", printable.Log(s.who(r)))
		http.Redirect(w, r, "/admin", http.StatusSeeOther)
	}
}

// logout ends a session.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if !s.mayChange(w, r) {
		return
	}
	s.sessions.end(r)
	setCookie(w, r, "")
	http.Redirect(w, r, "/admin", http.StatusSeeOther)
}
