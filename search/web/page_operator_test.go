package web

import (
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

func sampleOperator() StatusView {
	v := sampleStatus()
	v.Details = true
	ago := func(d time.Duration) *time.Time { at := sampleNow.Add(-d); return &at }
	var growth []report.GrowthPoint
	for i := range 30 {
		growth = append(growth, report.GrowthPoint{At: sampleNow.AddDate(0, 0, i-30), Documents: int64(9000 + 130*i - 400*(i%7))})
	}
	v.Operator = newOperatorView(&report.OperatorStatus{
		Crawl: report.CrawlState{
			Mode: "continuous", Phase: "waiting", Programs: 1, Began: *ago(40 * time.Minute), Ended: *ago(20 * time.Minute), EndReason: "complete", Merged: *ago(19 * time.Minute),
			NextRound: sampleNow.Add(10 * time.Minute), Refused: "sets.cnf:3: Server: “htp://a/” is no URL", RefusedAt: *ago(time.Hour),
		},
		Growth: growth,
		Errors: []report.SiteErrors{{Site: "https://old.example.org/", All: 42, Server: 2, Gone: 40}, {Site: "https://www.example.org/", All: 3, Auth: 1, Unreachable: 2}},
		Holds: []report.Hold{{
			Site: "https://old.example.org/", Since: sampleNow.Add(-26 * time.Hour), Reason: "share", URL: "https://old.example.org/a", Cause: "Not Found",
		}},
		Unread: []report.UnreadType{{Type: "image/png", URLs: 1204}, {Type: "application/zip", URLs: 17}},
		Slow:   []report.SlowHost{{Site: "https://old.example.org/", Fetches: 811, Mean: 1840 * time.Millisecond, Slowest: 61 * time.Second}},
		Failures: []report.Failure{
			{URL: "https://old.example.org/list?page=2&sort=name", Class: "gone", Count: 2, At: ago(time.Minute), Result: 404, Cause: "Not Found"},
			{URL: "https://www.example.org/slow", Class: "unreachable", Count: 5, At: ago(time.Hour), Result: 703, Cause: "connect: connection refused"},
		},
	})
	return v
}

func sampleFigures() *report.Figures {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	return &report.Figures{
		Documents: 9, Words: 99, Lost: 1, Due: 2, SitesDue: 3, SitesHeld: 4, HostsPaused: 5, OpenSchedules: 6, LateSchedules: 7, Fetchers: 8,
		JournalRows: 10, Marks: 11, JournalAge: 90 * time.Second, CrawlRunning: true, Phase: "crawling", NextRound: at,
		LastRuns: []report.LastRun{{Kind: "crawl", Started: at, Ended: at.Add(time.Minute), Reason: "complete", Counts: store.Counts{Documents: 20, Failed: 2}}},
	}
}

// TestPlot: the line begins and ends at the edges of its box and has no more than the points of the table.
func TestPlot(t *testing.T) {
	at := sampleNow
	if newPlot(nil) != nil || newPlot([]report.GrowthPoint{{At: at, Documents: 5}}) != nil || newPlot([]report.GrowthPoint{{At: at}, {At: at}}) != nil {
		t.Error("a plot of one moment")
	}
	p := newPlot([]report.GrowthPoint{{At: at, Documents: 0}, {At: at.Add(time.Hour), Documents: 10}, {At: at.Add(2 * time.Hour), Documents: 5}})
	if p.Line != "M0.0 140.0L300.0 0.0L600.0 70.0" || p.High != 10 || p.Last != 5 || !strings.HasPrefix(p.Area, p.Line) {
		t.Errorf("%+v", p)
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"https://www.example.org:8080/": "https://www.example.org:8080/", "http://a/$(reboot)": "'http://a/$(reboot)'", "a'b": `'a'\''b'`,
	} {
		if got := shellWord(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// sampleExplain has the text of index --explain for a page that is lost.
func sampleExplain(url string) ExplainView {
	return ExplainView{URL: url, Text: "URL           " + url + `
Registered    id 5, 1 hop from a start URL, tag 0
Server        https://www.example.org/ (/etc/pgseek/sets.cnf:1)
Filter        no line matches: allowed
MaxHops       256: allowed, it is at 1
robots.txt    allowed: there is none
              fetched at 2026-03-15 11:47:01 (12m ago): 404 Not found
Status        200 OK, lost: answered 404 Not found in 1 run; still found
Found by      Hops Status URL
                 1    404 ` + url + `
                 0    200 https://www.example.org/
Linked from   1 page
                https://www.example.org/
Content       "Old prices"
              type "text/html", charset utf-8
In the index  found by a search: yes, although it is lost
Next visit    2026-03-16 11:47:02 (in 24h): gone error 1: 1d
Fetches       2 attempts; history, newest first:
                2026-03-15 11:47:02  T-07   404 Not found  200 -> 200 lost 404 x1       335 bytes       2 ms
                2026-03-01 19:47:01  T-01   200 OK         0 -> 200                    4242 bytes       2 ms
`}
}
