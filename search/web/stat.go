package web

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/search/query"
)

// A StatRow is a row of table stat: a completed search.
type StatRow struct {
	Addr, Proxy   string // Proxy is empty without one
	Query         string // as typed; canonical spelling if several fields make the query
	UL, SP        string // filters: addresses and parameters separated by blanks, numbers by commas
	Site          int32
	Page, PerPage int   // from 0; as requested
	Sites, URLs   int64 // with matches; URLs is -1 after an error
	Start, Finish time.Time
	Referer       string // without query string
}

// Maximum lengths of texts in a row. ASPseek's columns have 255 characters, ours have no limit.
const (
	maxStatQuery   = 1024
	maxStatReferer = 512
	maxStatUL      = 1024
)

// maxLateRows is the maximum number of rows that wait for the database. If the database becomes unavailable,
// a few rows for each of MaxSearches wait; more of them mean that it cannot write, for example because its
// disk is full.
const maxLateRows = 1000

// pendingStatRows are the rows of stat that are being written, most of them within their requests.
type pendingStatRows struct {
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	writing sync.WaitGroup
	places  chan struct{}
	lost    atomic.Int64 // rows that were dropped
	said    atomic.Bool  // it was logged that rows are lost, and none was written since
	slow    atomic.Bool  // a row has waited for statTimeOut, and none was written since
}

func newLateRows() *pendingStatRows {
	ctx, cancel := context.WithCancel(context.Background())
	return &pendingStatRows{ctx: ctx, cancel: cancel, places: make(chan struct{}, maxLateRows)}
}

// Close waits for pending rows of table stat, at most statTimeOut, and then gives up the rest. It must be
// called after all requests have ended, and before the backend is closed.
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

// ErrNotRecorded is the error of Backend.Record for a row that it drops because no database records searches. It is not logged.
var ErrNotRecorded = errors.New("no database records searches")

// record writes the row of a search. The request waits for it, at most statTimeOut, and not at all while rows wait for a database
// that has become unavailable. Errors are counted and logged, once until a row is written again, and never change the answer.
func (s *Server) record(r *http.Request, a Answer, finish time.Time) {
	b := s.backend.Load()
	if b == nil || b.Record == nil {
		return
	}
	row, address := s.statRow(r, a, finish), printable.Log(r.URL.String())
	lost := func(err error) {
		s.metrics.statFailures.Inc()
		s.late.lost.Add(1)
		if !errors.Is(err, ErrNotRecorded) && !s.late.said.Swap(true) {
			s.o.Log.WarnContext(r.Context(), "cannot record a search in table stat", "url", address, "cause", err)
		}
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
			return
		}
		s.late.slow.Store(false)
		if s.late.said.Swap(false) {
			s.o.Log.InfoContext(r.Context(), "searches are recorded again", "lost_since_start", s.late.lost.Load())
		}
	})
	if s.late.slow.Load() {
		return
	}
	select {
	case <-written:
	case <-time.After(statTimeOut):
		s.late.slow.Store(true)
	}
}

var errTooManyRows = errors.New("too many rows are waiting for the database")

// statRow returns the row of a search.
func (s *Server) statRow(r *http.Request, a Answer, finish time.Time) StatRow {
	row := StatRow{
		Query: statQuery(a), UL: shortened(strings.Join(append(slices.Clip(a.Form.Limits), statFilters(a.Form)...), " "), maxStatUL), Site: onlySite(a.Form.SiteIDs),
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

// statFilters returns the filters that neither the query nor another column has, as parameters.
func statFilters(f Form) (all []string) {
	if onlySite(f.SiteIDs) != 0 {
		f.SiteIDs = nil
	}
	f = Form{Params: query.Params{Body: f.Body, Desc: f.Desc, Keywords: f.Keywords, Title: f.Title}, Narrowing: f.Narrowing, Dates: f.Dates}
	for _, p := range f.Pairs() {
		all = append(all, p.Name+"="+p.Value)
	}
	return all
}

// statQuery returns the query as one text.
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

// referer returns the referring page without its query string and user information, which may be private.
func referer(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !utf8.ValidString(text) {
		return ""
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return shortened(u.String(), maxStatReferer)
}

// addresses returns the columns addr and proxy, reduced as StatAddress requires.
func (s *Server) addresses(r *http.Request) (addr, proxy string) {
	client, through := s.client(r)
	switch s.o.StatAddress {
	case "none":
		return "", ""
	case "short":
		client = network(client)
	}
	if client.IsValid() {
		addr = client.String()
	}
	if through.IsValid() {
		proxy = through.String()
	}
	return addr, proxy
}

// client returns the address of the client, and of the proxy that forwarded its request, if any.
// X-Forwarded-For can be forged: it is read from its end, where the nearest proxy writes, as long as the
// writers are TrustedProxies. A proxy that names no client counts as the client.
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

// peerAddress returns the address of an address and port.
func peerAddress(text string) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(text)
	return at.Addr().Unmap().WithZone(""), err == nil
}

// forwardedAddress parses an element of X-Forwarded-For: an address, which some proxies write with a port.
func forwardedAddress(text string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return a.Unmap().WithZone(""), true
	}
	return peerAddress(text)
}

// network returns an address without the part that identifies a person: the last byte of IPv4, the last
// 80 bits of IPv6.
func network(a netip.Addr) netip.Addr {
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

// onlySite returns the site of a request for one site, else 0.
func onlySite(ids []int32) int32 {
	if len(ids) == 1 {
		return ids[0]
	}
	return 0
}
