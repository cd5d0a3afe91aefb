package web

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/snippet"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// A fakeIndex is a backend with fixed answers. It records the requests.
type fakeIndex struct {
	mu     sync.Mutex
	asked  []search.Request
	rows   []StatRow
	copies []search.CopyRequest

	answer  func(context.Context, search.Request) (*search.Result, error) // nil = twoHits
	copyErr error
	statErr error
	pingErr error
	status  *report.IndexStatus
	sizeErr error

	unread    int64
	unreadErr error
}

func (x *fakeIndex) backend() Backend {
	return Backend{
		Search: func(ctx context.Context, r search.Request) (*search.Result, error) {
			x.mu.Lock()
			x.asked = append(x.asked, r)
			x.mu.Unlock()
			if x.answer != nil {
				return x.answer(ctx, r)
			}
			return twoHits(), nil
		},
		Copy: func(_ context.Context, r search.CopyRequest) ([]byte, error) {
			x.copies = append(x.copies, r)
			return []byte("<p>copy"), x.copyErr
		},
		Record: func(_ context.Context, row StatRow) error {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.rows = append(x.rows, row)
			return x.statErr
		},
		Status: func(context.Context, int, int) (*report.IndexStatus, error) {
			if x.status == nil {
				return nil, store.ErrUnavailable
			}
			return x.status, nil
		},
		Size: func(context.Context) (*report.IndexSize, error) {
			return &report.IndexSize{Documents: 7, Sites: 3}, x.sizeErr
		},
		Unread:   func(context.Context) (int64, error) { return x.unread, x.unreadErr },
		Operator: func(context.Context) (*report.OperatorStatus, error) { return &report.OperatorStatus{}, nil },
		Figures:  func(context.Context) (*report.Figures, error) { return sampleFigures(), nil },
		Explain: func(_ context.Context, url string) (string, bool, error) {
			return "URL  " + url, url != "http://unknown/", nil
		},
		Ping: func(context.Context) error { return x.pingErr },
	}
}

func twoHits() *search.Result {
	return &search.Result{
		Sites: 1, URLs: 42, Grouped: true, Pages: 3, Took: 1500 * time.Microsecond,
		Words: []search.WordCount{{Text: "vacuum", URLs: 42, Total: 99, Words: 1}},
		Notes: []query.Note{{Kind: query.LeftOut, Field: "q", At: 3, Text: "“the” is left out."}},
		Spell: []search.Suggestion{{Word: "vacum", Instead: "vacuum"}},
		Hits: []search.Hit{
			{
				URLID: 11, SiteID: 5, URL: "https://a.example/x?<b>", Title: "<script>alert(1)</script>", Text: "begin", Size: 1234, ContentType: "text/html",
				LastModified: "Sat, 01 Feb 2026 00:00:00 GMT", Modified: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), CRC: "abc", Lang: "en",
				Status: 200 | 404<<16 | 2<<27, Rank: 4000000000, First: true, InSite: 40, Clones: []search.Clone{{URLID: 12, URL: "https://b.example/x"}}, MoreOf: 3,
				Excerpts: []snippet.Excerpt{{{Text: "a full ", Term: -1, CutBefore: true}, {Text: "vacuum", Term: 0}}},
			},
			{URLID: 13, SiteID: 5, URL: "https://a.example/y", Status: 200, Rank: 7, NoCopy: true},
		},
	}
}

// fixedNow is the time of the server in tests.
var fixedNow = time.Date(2026, 3, 15, 12, 0, 0, 250e6, formZone)

// newTestServer returns a server with a backend, and its log.
func newTestServer(x *fakeIndex, o ServerOptions) (s *Server, log *bytes.Buffer) {
	log = &bytes.Buffer{}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	o.Now = func() time.Time { return fixedNow }
	s = newServer(o, plainPages{})
	if x != nil {
		s.Connect(x.backend())
	}
	return s, log
}

// A reply is an answer of a server.
type reply struct {
	StatusCode int
	Header     http.Header
	text       string
}

// get requests a path; headers are pairs.
func get(t *testing.T, h http.Handler, target string, headers ...string) reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return reply{w.Code, w.Header(), w.Body.String()}
}
