package admin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"sync"
	"time"
)

// A session ends after idleExpiry without a request, and in any case after wholeExpiry.
const (
	idleExpiry  = 15 * time.Minute
	wholeExpiry = 12 * time.Hour
	maxSessions = 20 // the oldest one leaves
	cookieName  = "pgseek_admin"
)

// A session is an operator who has given the password.
type session struct {
	token       string // of its forms
	began, seen time.Time
	says        message // shown on the next page
}

// A message is the result of an action.
type message struct {
	Text string
	Bad  bool
}

// sessions are kept in memory, by the digest of their cookie: they end with the program.
type sessions struct {
	now func() time.Time

	mu  sync.Mutex
	all map[[32]byte]*session
}

func newSessions() *sessions { return &sessions{now: time.Now, all: map[[32]byte]*session{}} }

// secret returns 256 random bits as text.
func secret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// begin returns the cookie of a new session.
func (x *sessions) begin() string {
	cookie := secret()
	now := x.now()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(now)
	if len(x.all) >= maxSessions {
		var oldest [32]byte
		at := now
		for key, s := range x.all {
			if !s.seen.After(at) {
				oldest, at = key, s.seen
			}
		}
		delete(x.all, oldest)
	}
	x.all[sha256.Sum256([]byte(cookie))] = &session{token: secret(), began: now, seen: now}
	return cookie
}

func (x *sessions) expire(now time.Time) {
	for key, s := range x.all {
		if now.Sub(s.seen) >= idleExpiry || now.Sub(s.began) >= wholeExpiry {
			delete(x.all, key)
		}
	}
}

// find returns the token of the session of a request and its message, which is shown once. ok is false if there is no session.
func (x *sessions) find(r *http.Request) (token string, says message, ok bool) {
	x.with(r, func(s *session) { token, says, ok, s.says = s.token, s.says, true, message{} })
	return token, says, ok
}

// sent reports whether a request belongs to a session and has its token.
func (x *sessions) sent(r *http.Request) (logged, token bool) {
	x.with(r, func(s *session) {
		logged, token = true, subtle.ConstantTimeCompare([]byte(s.token), []byte(r.PostFormValue("token"))) == 1
	})
	return logged, token
}

// tell leaves a message for the next page of the session.
func (x *sessions) tell(r *http.Request, says message) {
	x.with(r, func(s *session) { s.says = says })
}

// end removes the session of a request.
func (x *sessions) end(r *http.Request) {
	if c, err := r.Cookie(cookieName); err == nil {
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.all, sha256.Sum256([]byte(c.Value)))
	}
}

func (x *sessions) with(r *http.Request, f func(*session)) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return
	}
	now := x.now()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(now)
	if s := x.all[sha256.Sum256([]byte(c.Value))]; s != nil {
		s.seen = now
		f(s)
	}
}

// setCookie sends the cookie of a session; an empty one removes it.
func setCookie(w http.ResponseWriter, r *http.Request, value string) {
	c := &http.Cookie{
		Name: cookieName, Value: value, Path: "/admin", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.Header.Get("X-Forwarded-Proto") == "https",
	}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}
