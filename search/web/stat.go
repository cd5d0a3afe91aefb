package web

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/search/query"
)

// A StatRow is a row of table stat: a search that was answered (aspseek.md 9.5).
type StatRow struct {
	Addr, Proxy   string // Proxy is empty without one
	Query         string // as typed; where several fields make the query, as it was read
	UL, SP        string // restrictions: addresses with blanks between, numbers with commas
	Site          int32
	Page, PerPage int   // from 0; as asked for
	Sites, URLs   int64 // found; URLs is -1 after an error
	Start, Finish time.Time
	Referer       string // without query string
}

// The bounds of texts in a row: ASPseek's columns have 255 characters, ours take any.
const (
	maxStatQuery   = query.MaxBytes
	maxStatReferer = 512
	maxStatUL      = 1024
)

// maxLateRows is how many rows may wait for the database at once. When it goes away it leaves those of the searches that were just
// answered, a few for each of MaxSearches; more come of a disk that is full.
const maxLateRows = 1000

// pendingStatRows are the rows of stat that are being written, most of them within their requests.
type pendingStatRows struct {
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	writing sync.WaitGroup
	places  chan struct{}
}

func newLateRows() pendingStatRows {
	ctx, cancel := context.WithCancel(context.Background())
	return pendingStatRows{ctx: ctx, cancel: cancel, places: make(chan struct{}, maxLateRows)}
}

// Close waits for the rows of table stat that wait for the database, for as long as a row takes at most when it is there, and
// gives up what is left. To be called when no request is under way any more, and before the backend ends.
func (s *Server) Close() {
	defer s.late.cancel()
	written := make(chan struct{})
	go func() {
		s.late.writing.Wait()
		close(written)
	}()
	select {
	case <-written:
	case <-time.After(statTimeOut):
		s.late.cancel()
		<-written
	}
}

// record writes the row of a search. The request waits for it a moment, and does not end before it; when the database has gone
// away since it answered, the row waits for it without the request. It must not fail the answer: what goes wrong is counted
// and logged.
func (s *Server) record(r *http.Request, a Answer, finish time.Time) {
	b := s.backend.Load()
	if b == nil || b.Record == nil {
		return
	}
	row, address := s.statRow(r, a, finish), printable.Log(r.URL.String())
	lost := func(err error) {
		s.metrics.statFailures.Inc()
		s.o.Log.WarnContext(r.Context(), "cannot record a search in table stat", "url", address, "cause", err)
	}
	select {
	case s.late.places <- struct{}{}:
	default:
		lost(errTooManyRows)
		return
	}
	written := make(chan struct{})
	s.late.writing.Go(func() {
		defer close(written)
		defer func() { <-s.late.places }()
		begin := time.Now()
		err := b.Record(s.late.ctx, row)
		s.metrics.statSeconds.Observe(time.Since(begin).Seconds())
		if err != nil {
			lost(err)
		}
	})
	select {
	case <-written:
	case <-time.After(statTimeOut):
	}
}

var errTooManyRows = errors.New("too many rows are waiting for the database")

// statRow makes the row.
func (s *Server) statRow(r *http.Request, a Answer, finish time.Time) StatRow {
	row := StatRow{
		Query: statQuery(a), UL: shortened(strings.Join(a.Form.Limits, " "), maxStatUL), Site: a.Form.Site,
		Page: min(a.Form.Page, math.MaxInt16), PerPage: a.Form.Results(s.o.Defaults), URLs: -1,
		Start: a.Begin, Finish: finish, Referer: referer(r.Header.Get("Referer")),
	}
	for i, n := range a.Form.Spaces {
		if i > 0 {
			row.SP += ","
		}
		row.SP += strconv.Itoa(int(n))
	}
	if a.Result != nil {
		row.Sites, row.URLs = int64(a.Result.Sites), int64(a.Result.URLs)
	}
	row.Addr, row.Proxy = s.addresses(r)
	return row
}

// statQuery is the query in one text.
func statQuery(a Answer) string {
	texts := 0
	for _, f := range a.Form.Fields() {
		if !query.IsBlank(f.Text) {
			texts++
		}
	}
	text := a.Form.Text()
	if texts > 1 && a.Request.Query != nil {
		text = a.Request.Query.String()
	}
	return shortened(strings.TrimSpace(text), maxStatQuery)
}

// referer is the page that a request came from, without what people may have typed there, nor who they are.
func referer(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !utf8.ValidString(text) {
		return ""
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return shortened(u.String(), maxStatReferer)
}

// addresses are the columns addr and proxy, as much of them as StatAddress lets table stat keep.
func (s *Server) addresses(r *http.Request) (addr, proxy string) {
	client, through := s.client(r)
	switch s.o.StatAddress {
	case "none":
		return "", ""
	case "short":
		client = neighbourhood(client)
	}
	if client.IsValid() {
		addr = client.String()
	}
	if through.IsValid() {
		proxy = through.String()
	}
	return addr, proxy
}

// client is who asks, and the proxy that passed it on, if one did. X-Forwarded-For says whatever its writer likes: it is
// read from its end, where the nearest proxy writes, as far as the writers are TrustedProxies. A proxy that names nobody
// stands for the client itself (aspseek.md 9.5).
func (s *Server) client(r *http.Request) (client, proxy netip.Addr) {
	peer, ok := peerAddress(r.RemoteAddr)
	if !ok || !s.trusted(peer) {
		return peer, netip.Addr{}
	}
	client = peer
	list := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(list) - 1; i >= 0 && s.trusted(client); i-- {
		next, ok := forwardedAddress(strings.TrimSpace(list[i]))
		if !ok {
			break
		}
		client = next
	}
	return client, peer
}

func (s *Server) trusted(a netip.Addr) bool {
	for _, p := range s.o.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// peerAddress is the address of an address and port.
func peerAddress(text string) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(text)
	return at.Addr().Unmap().WithZone(""), err == nil
}

// forwardedAddress reads an element of X-Forwarded-For: an address, which some proxies write with a port.
func forwardedAddress(text string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return a.Unmap().WithZone(""), true
	}
	return peerAddress(text)
}

// neighbourhood is an address without what tells one person from the neighbours: the last byte of IPv4, the last 80 bits of IPv6.
func neighbourhood(a netip.Addr) netip.Addr {
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return netip.Addr{}
	}
	return p.Addr()
}
