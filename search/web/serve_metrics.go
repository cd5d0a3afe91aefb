package web

import (
	"context"
	"net/http"
	"strconv"

	"github.com/pgseek/pgseek/internal/figures"
	"github.com/pgseek/pgseek/store/report"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the values of /metrics. They have their own registry, and labels have only values of closed
// lists: paths that do not exist share one label.
type metrics struct {
	searches     *prometheus.CounterVec // by outcome
	seconds      prometheus.Histogram
	requests     *prometheus.CounterVec // by path and status
	statFailures prometheus.Counter
	statSeconds  prometheus.Histogram
	handler      http.Handler
}

// outcomes are the possible outcomes of a search. Each has its line from the start, so that rates begin with
// the first search.
var outcomes = []string{"found", "empty", "error", "timed_out", "busy", "unavailable", "cancelled", "failed"}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pgseek_searches_total", Help: "Searches by outcome; error is an error in the query.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pgseek_search_seconds", Help: "Time of a search in the engine, database included.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5},
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pgseek_http_requests_total", Help: "Requests by path and HTTP status.",
		}, []string{"path", "status"}),
		statFailures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pgseek_stat_failures_total", Help: "Rows of table stat that could not be written.",
		}),
		statSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "pgseek_stat_seconds", Help: "Time to write a row of table stat.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .5, 2},
		}),
	}
	for _, o := range outcomes {
		m.searches.WithLabelValues(o)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		m.searches, m.seconds, m.requests, m.statFailures, m.statSeconds, newDatabaseMetrics(s.databases), figures.New(s.figures),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "pgseek_stat_waiting", Help: "Rows of table stat that are being written or wait for the primary; further ones are dropped at 1000.",
		}, func() float64 { return float64(len(s.late.places)) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "pgseek_searches_running", Help: "Searches and cached copies in progress.",
		}, func() float64 { return float64(len(s.places)) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "pgseek_searches_max", Help: "MaxSearches.",
		}, func() float64 { return float64(cap(s.places)) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "pgseek_connected", Help: "1 after the first connection to the database; pgseek_searches_total shows later failures.",
		}, func() float64 {
			if s.backend.Load() == nil {
				return 0
			}
			return 1
		}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "pgseek_unread_urls", Help: "URLs whose type nothing reads, counted once a minute; NaN while unknown.",
		}, s.unread),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry})
	return m
}

// count counts the answers of the handler of a path.
func (m *metrics) count(path string, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		label := path
		if path == "/" && r.URL.Path != "/" {
			label = "other"
		}
		c := &statusWriter{ResponseWriter: w}
		defer func() {
			if c.status == 0 {
				c.status = http.StatusInternalServerError // it panicked
			}
			m.requests.WithLabelValues(label, strconv.Itoa(c.status)).Inc()
		}()
		h(c, r)
	}
}

// A statusWriter records the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader records and passes on the status.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write passes bytes on. Without WriteHeader the status is 200.
func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap returns the wrapped writer, for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// figures reads the figures of crawls and merges; nil before the database has answered.
func (s *Server) figures(ctx context.Context) (*report.Figures, error) {
	b := s.backend.Load()
	if b == nil || b.Figures == nil {
		return nil, nil
	}
	return b.Figures(ctx)
}
