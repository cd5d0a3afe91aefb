package web

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// A Database is one of the databases that are searched.
type Database struct {
	Name     string // host:port, or the folder of its socket
	State    string // ok, behind, conflict, away or refused
	Primary  bool
	Lag      time.Duration // of a standby
	Running  int           // searches
	Searches int64         // since the start of searchd
	Left     int64         // how often it was left
}

// databaseJSON is a database in the answer of /status (docs/http.md).
type databaseJSON struct {
	Name     string  `json:"name"`
	Role     string  `json:"role"`
	State    string  `json:"state"`
	Lag      float64 `json:"lag_seconds"`
	Searches int64   `json:"searches"`
	Left     int64   `json:"left"`
}

// Values of role.
const (
	rolePrimary = "primary"
	roleStandby = "standby"
)

// Role returns primary or standby.
func (d Database) Role() string {
	if d.Primary {
		return rolePrimary
	}
	return roleStandby
}

// recordsJSON says in the answer of /status what becomes of the rows of table stat.
type recordsJSON struct {
	Waiting int   `json:"waiting"` // for the database
	Lost    int64 `json:"lost"`    // since the start of searchd
}

// databases returns the databases, none when the backend does not name them.
func (s *Server) databases() []Database {
	if b := s.backend.Load(); b != nil && b.Databases != nil {
		return b.Databases()
	}
	return nil
}

func databasesJSON(all []Database) []databaseJSON {
	list := []databaseJSON{}
	for i := range all {
		d := &all[i]
		list = append(list, databaseJSON{d.Name, d.Role(), d.State, math.Round(d.Lag.Seconds()*10) / 10, d.Searches, d.Left})
	}
	return list
}

// databaseMetrics are the metrics of the databases.
type databaseMetrics struct {
	list                               func() []Database
	ok, primary, lag, searches, leaves *prometheus.Desc
}

func newDatabaseMetrics(list func() []Database) *databaseMetrics {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("pgseek_database_"+name, help, []string{"database"}, nil)
	}
	return &databaseMetrics{
		list:     list,
		ok:       desc("ok", "1 if the database may be searched, 0 if it is left; the log has the cause."),
		primary:  desc("primary", "1 for the primary, 0 for a standby."),
		lag:      desc("lag_seconds", "How long ago another database was where this standby is now."),
		searches: desc("searches_total", "Searches by database, those included that were repeated on another one."),
		leaves:   desc("left_total", "How often the database was left."),
	}
}

// Describe and Collect make it a prometheus.Collector.
func (m *databaseMetrics) Describe(c chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.ok, m.primary, m.lag, m.searches, m.leaves} {
		c <- d
	}
}

// Collect sends the values of now.
func (m *databaseMetrics) Collect(c chan<- prometheus.Metric) {
	yes := map[bool]float64{true: 1}
	for _, d := range m.list() {
		send := func(desc *prometheus.Desc, kind prometheus.ValueType, value float64) {
			c <- prometheus.MustNewConstMetric(desc, kind, value, d.Name)
		}
		send(m.ok, prometheus.GaugeValue, yes[d.State == "ok"])
		send(m.primary, prometheus.GaugeValue, yes[d.Primary])
		send(m.lag, prometheus.GaugeValue, d.Lag.Seconds())
		send(m.searches, prometheus.CounterValue, float64(d.Searches))
		send(m.leaves, prometheus.CounterValue, float64(d.Left))
	}
}
