package web

import "github.com/pgseek/pgseek/store/report"

// operatorJSON is the operator's part of /status as JSON (docs/http.md).
type operatorJSON struct {
	Mode     string           `json:"mode"`
	Phase    string           `json:"phase"`
	Next     string           `json:"next_round,omitempty"`
	Refused  string           `json:"refused,omitempty"` // configuration
	Growth   []growthJSON     `json:"growth"`
	Holds    []holdJSON       `json:"holds"`
	Errors   []siteErrorsJSON `json:"errors"`
	Failures []failureJSON    `json:"failures"`
	Unread   []unreadJSON     `json:"unread"`
	Slow     []slowJSON       `json:"slow"`
}

type growthJSON struct {
	At        string `json:"at"`
	Documents int64  `json:"documents"`
}

type holdJSON struct {
	Site   string `json:"site"`
	Since  string `json:"since"`
	Reason string `json:"reason"`
	URL    string `json:"url,omitempty"`
	Cause  string `json:"cause,omitempty"`
}

type siteErrorsJSON struct {
	Site        string `json:"site"`
	URLs        int64  `json:"urls"`
	Server      int64  `json:"server"`
	Auth        int64  `json:"auth"`
	Gone        int64  `json:"gone"`
	Unreachable int64  `json:"unreachable"`
}

type failureJSON struct {
	URL    string `json:"url"`
	Class  string `json:"class"`
	Count  int    `json:"count"`
	At     string `json:"at,omitempty"`
	Result int    `json:"result,omitempty"`
	Cause  string `json:"cause,omitempty"`
}

type unreadJSON struct {
	Type string `json:"type"`
	URLs int64  `json:"urls"`
}

type slowJSON struct {
	Site      string `json:"site"`
	Fetches   int64  `json:"fetches"`
	MeanMS    int64  `json:"mean_ms"`
	SlowestMS int64  `json:"slowest_ms"`
}

func newOperatorJSON(x *report.OperatorStatus) *operatorJSON {
	if x == nil {
		return nil
	}
	j := &operatorJSON{
		Mode: x.Crawl.Mode, Phase: x.Crawl.Phase, Next: stamp(&x.Crawl.NextRound), Refused: x.Crawl.Refused,
		Growth: []growthJSON{}, Holds: []holdJSON{}, Errors: []siteErrorsJSON{}, Failures: []failureJSON{}, Unread: []unreadJSON{}, Slow: []slowJSON{},
	}
	for _, l := range x.Growth {
		j.Growth = append(j.Growth, growthJSON{stamp(&l.At), l.Documents})
	}
	for i := range x.Holds {
		l := &x.Holds[i]
		j.Holds = append(j.Holds, holdJSON{l.Site, stamp(&l.Since), l.Reason, l.URL, l.Cause})
	}
	for _, l := range x.Errors {
		j.Errors = append(j.Errors, siteErrorsJSON{l.Site, l.All, l.Server, l.Auth, l.Gone, l.Unreachable})
	}
	for _, l := range x.Failures {
		j.Failures = append(j.Failures, failureJSON{l.URL, l.Class, l.Count, stamp(l.At), l.Result, l.Cause})
	}
	for _, l := range x.Unread {
		j.Unread = append(j.Unread, unreadJSON(l))
	}
	for _, l := range x.Slow {
		j.Slow = append(j.Slow, slowJSON{l.Site, l.Fetches, l.Mean.Milliseconds(), l.Slowest.Milliseconds()})
	}
	return j
}
