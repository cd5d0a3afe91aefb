package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/internal/password"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store/report"
)

// operatorKept is how long the operator's figures are shown again. They cost two readings of urlstate.
const operatorKept = 15 * time.Second

// An operatorCache keeps the last figures of the operator.
type operatorCache struct {
	mu     sync.Mutex
	status *report.OperatorStatus
	read   time.Time
}

// statusAnswer has the values of /status. operator is nil for a reader who is not the operator; login says that a password
// would show more.
type statusAnswer struct {
	index     *report.IndexStatus
	databases []Database
	operator  *report.OperatorStatus
	login     bool
}

// A right says whether a request may read what is for the operator.
type right int

const (
	noRight   right = iota // and it sent no password
	wrongOne               // its password is wrong
	tooMany                // no password is checked now
	permitted              // its password is right, or it comes from this machine
)

// operatorRight checks the password of a request. Without one a request from this machine is permitted, unless it came through a proxy.
func (s *Server) operatorRight(r *http.Request) right {
	_, given, ok := r.BasicAuth()
	switch {
	case ok && s.o.Password != nil:
		addr, _ := s.client(r)
		from := addr.String()
		if addr.Is6() {
			from = network(addr).String() // a network of IPv6 has any number of addresses
		}
		switch err := s.o.Password.Check(from, given); {
		case errors.Is(err, password.ErrTooMany):
			return tooMany
		case err != nil:
			s.o.Log.WarnContext(r.Context(), "a wrong password for the operator's pages", "addr", from)
			return wrongOne
		}
		return permitted
	case s.fromThisMachine(r):
		return permitted
	}
	return noRight
}

// proxyHeaders are headers by which proxies tell that they are one.
var proxyHeaders = strings.Fields("Forwarded Via X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Server X-Forwarded-Port X-Real-Ip X-Client-Ip Cf-Connecting-Ip")

// fromThisMachine reports whether a request comes from this machine by itself. A proxy that tells nothing about itself, as nginx
// does if it is not configured to, speaks HTTP/1.0 or is one of TrustedProxy. The name of the host is compared, because a page of
// another site can make a browser of this machine ask for its own name at this address.
func (s *Server) fromThisMachine(r *http.Request) bool {
	peer, ok := peerAddress(r.RemoteAddr)
	if !ok || !peer.IsLoopback() || s.trusted(peer) || !r.ProtoAtLeast(1, 1) || !ownHost(r.Host) {
		return false
	}
	return !slices.ContainsFunc(proxyHeaders, func(name string) bool { return r.Header.Get(name) != "" })
}

// ownHost reports whether a Host header names this machine.
func ownHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// refuse answers a request without the right to read a page of the operator.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, got right) {
	switch {
	case got == tooMany:
		s.fail(w, r, failure{status: http.StatusTooManyRequests, code: "too_many_tries", retry: int(password.Window / time.Second)})
	case s.o.Password == nil:
		s.fail(w, r, failure{status: http.StatusForbidden, code: "no_password"})
	default:
		w.Header().Set("Www-Authenticate", `Basic realm="pgseek", charset="UTF-8"`)
		s.fail(w, r, failure{status: http.StatusUnauthorized, code: "password_wanted"})
	}
}

// statusPage answers /status: for the operator with more figures.
func (s *Server) statusPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Authorization")
	got := s.operatorRight(r)
	if got == wrongOne || got == tooMany || got == noRight && r.URL.Query().Get("details") != "" {
		s.refuse(w, r, got)
		return
	}
	status, _, err := s.readStatus(r.Context())
	a := statusAnswer{index: status, databases: s.databases(), login: s.o.Password != nil}
	if err == nil && got == permitted {
		a.operator, err = s.readOperator(r.Context())
	}
	if err != nil {
		f := s.failed(r, err)
		f.recorded = false
		if f.code == "timed_out" {
			f.text = "Computing the status took longer than %s. The command index -S has no time limit."
		}
		s.fail(w, r, f)
		return
	}
	w.Header().Add("Vary", "Accept")
	form, _ := ReadForm(parameters(r))
	if form.JSON || wantsJSON(r) {
		answer := newStatusJSON(status)
		answer.Databases, answer.Records = databasesJSON(a.databases), recordsJSON{len(s.late.places), s.late.lost.Load()}
		answer.Operator = newOperatorJSON(a.operator)
		if a.operator == nil {
			s.allowOrigin(w, r) // scripts of other sites read what everybody may read
		}
		s.sendJSON(w, http.StatusOK, answer)
		return
	}
	s.page(w, r, form, func(b io.Writer, f Frame) error { return s.pages.status(b, f, a) })
}

// readOperator returns the figures of the operator, at most operatorKept old; nil if the backend has none.
func (s *Server) readOperator(ctx context.Context) (*report.OperatorStatus, error) {
	b := s.backend.Load()
	if b == nil || b.Operator == nil {
		return nil, nil
	}
	c := &s.operators
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status != nil && time.Since(c.read) < operatorKept {
		return c.status, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.o.TimeOut)
	defer cancel()
	status, err := b.Operator(ctx)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = errTimedOut
		}
		return nil, err
	}
	c.status, c.read = status, time.Now()
	return status, nil
}

// explain answers /explain?url= with the text of index --explain.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Authorization")
	if got := s.operatorRight(r); got != permitted {
		s.refuse(w, r, got)
		return
	}
	v := ExplainView{URL: strings.TrimSpace(query.Clean(r.URL.Query().Get("url")))}
	code := http.StatusOK
	if v.URL != "" {
		b := s.backend.Load()
		if b == nil || b.Explain == nil {
			s.fail(w, r, s.failed(r, errNotConnected))
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), s.o.TimeOut)
		defer cancel()
		text, known, err := b.Explain(ctx, v.URL)
		switch {
		case ctx.Err() != nil:
			err = errTimedOut
			fallthrough
		case err != nil && text == "":
			f := s.failed(r, err)
			f.recorded = false
			s.fail(w, r, f)
			return
		case !known:
			code = http.StatusNotFound
		}
		v.Text = text
	}
	form, _ := ReadForm(parameters(r))
	s.pageOf(w, r, code, form, func(b io.Writer, f Frame) error { return s.pages.explain(b, f, v) })
}
