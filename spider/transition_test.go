package spider

import (
	"fmt"
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// previousStates are all that the table distinguishes.
var previousStates = map[string]crawl.Previous{
	"never":     {},
	"withdrawn": {Status: 200, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true, Deleted: true, WithdrawnBy: "T-12"},
	"200":       {Status: 200, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true},
	"200 redirecting": {
		Status: 200, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true, Redirect: 302, ErrorClass: classUnreachable, ErrorCount: 1,
	},
	"200 unreachable": {Status: 200, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true, ErrorClass: classUnreachable, ErrorCount: 4},
	"200 lost, unreachable": {
		Status: store.Status(200).Lose(503), CRC: "old", IndexMode: 3, HasRow: true, HasContent: true, ErrorClass: classUnreachable, ErrorCount: 4,
	},
	"200 lost":           {Status: store.Status(200).Lose(404), CRC: "old", IndexMode: 3, HasRow: true, HasContent: true},
	"905":                {Status: 905, CRC: "old", IndexMode: 3},
	"903":                {Status: 903, CRC: "old", IndexMode: 3},
	"kept":               {Status: 200, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true, Deleted: true, WithdrawnBy: "T-12", Kept: true},
	"406 kept":           {Status: 406, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true, Kept: true},
	"withdrawn, never":   {Deleted: true, WithdrawnBy: "T-12"},
	"withdrawn for good": {Status: 404, IndexMode: 3, Deleted: true, WithdrawnBy: "T-13"},
	"clone":              {Status: 200, CRC: "old", IndexMode: 3, Origin: 5},
	"406":                {Status: 406, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true},
	"406 answered":       {Status: 406, ErrorClass: "server", ErrorCount: 1, IndexMode: 3},
	"406 bare":           {Status: 406, CRC: "old", IndexMode: 3},
	"301":                {Status: 301, HasRow: true, Redir: 7},
	"302":                {Status: 302, HasRow: true, Redir: 7},
	"404":                {Status: 404},
	"429":                {Status: 429, ErrorClass: classUnreachable, ErrorCount: 1},
	"503":                {Status: 503, ErrorClass: "server", ErrorCount: 1},
	"500":                {Status: 500},
	"605":                {Status: 605},
	"702":                {Status: 702},
	"800":                {Status: 800},
}

// TestTransitionTable compares decide with the table, row by row.
func TestTransitionTable(t *testing.T) {
	type answer struct {
		status int
		crc    string
		forced bool
		mode   bool // another indexing mode than stored
		twin   store.URLID
		equals int  // live documents with that body
		bad    bool // DeleteBad
		gate   *crawl.Gate
		swept  bool // without an attempt
		purge  int
		host   refusal // of the host
		again  bool    // it has refused the URL in this run before
	}
	held := &crawl.Gate{State: crawl.GateHeld, Live: 100}
	full := &crawl.Gate{State: crawl.GateArmed, Live: 100, TurnedLost: 30}
	room := &crawl.Gate{State: crawl.GateArmed, Live: 100, TurnedLost: 29}
	small := &crawl.Gate{State: crawl.GateArmed, Live: 9, TurnedLost: 8}
	open := &crawl.Gate{State: crawl.GateOpen, Live: 100, TurnedLost: 30}
	lastStart := &crawl.Gate{State: crawl.GateArmed, Live: 5, Starts: 2, StartsFailed: 1}
	free := &crawl.Gate{State: crawl.GateArmed, Live: 100, RedirectsFree: true}
	heldFree := &crawl.Gate{State: crawl.GateHeld, Live: 100, RedirectsFree: true}
	const id = 10
	for _, c := range []struct {
		previous string
		answer   answer
		want     string
	}{
		{"never", answer{status: 200, crc: "new"}, "T-01"},
		{"never", answer{status: 200, crc: "new", twin: 4}, "T-01c"},
		{"never", answer{status: 200, crc: "new", twin: 40}, "T-01o"},
		{"200", answer{status: 200, crc: "new", twin: 4}, "T-01c"},
		{"404", answer{status: 200, crc: "new", twin: 40}, "T-01o"},
		{"200", answer{status: 304}, "T-02"},
		{"200 lost", answer{status: 304}, "T-02"},
		{"clone", answer{status: 304}, "T-02"},
		{"406", answer{status: 304}, "T-02"},
		{"200", answer{status: 200, crc: "old"}, "T-03"},
		{"200 lost", answer{status: 200, crc: "old"}, "T-03"},
		{"clone", answer{status: 200, crc: "old", twin: 5}, "T-03"},
		{"406", answer{status: 406, crc: "old"}, "T-03"},
		{"200", answer{status: 200, crc: "new"}, "T-04"},
		{"200 lost", answer{status: 200, crc: "new"}, "T-04"},
		{"406", answer{status: 200, crc: "new"}, "T-04"},
		{"301", answer{status: 200, crc: "new"}, "T-04"},
		{"404", answer{status: 200, crc: "new"}, "T-04"},
		{"702", answer{status: 200, crc: "new"}, "T-04"},
		{"200", answer{status: 200, crc: "old", forced: true}, "T-17"},
		{"never", answer{status: 301}, "T-05"},
		{"200", answer{status: 302, gate: room}, "T-10"},
		{"200 lost", answer{status: 301, gate: small}, "T-10"},
		{"clone", answer{status: 302, gate: open}, "T-10"},
		{"200", answer{status: 302, gate: free}, "T-05"},
		{"200", answer{status: 302, gate: heldFree}, "T-10"},
		{"302", answer{status: 302, gate: held}, "T-05"},
		{"200 redirecting", answer{status: 302, gate: room, swept: true}, "T-05"},
		{"200 redirecting", answer{status: 302, gate: held, swept: true}, ""},
		{"200 redirecting", answer{status: 301, gate: room, swept: true}, ""}, // it has answered otherwise since
		{"200", answer{status: 302, gate: room, swept: true}, ""},
		{"404", answer{status: 301}, "T-05"},
		{"never", answer{status: 406, crc: "new"}, "T-06"},
		{"200", answer{status: 406, crc: "new"}, "T-06"},
		{"200", answer{status: 406, crc: "old", mode: true}, "T-16"},
		{"200", answer{status: 200, crc: "old", mode: true}, "T-16"},
		{"200", answer{status: 200, crc: "old", mode: true, forced: true}, "T-16"},
		{"clone", answer{status: 304, mode: true}, "T-16"},
		{"406", answer{status: 304, mode: true}, "T-16"},
		{"never", answer{status: 200, crc: "new", twin: 4, equals: 20}, "T-14"},
		{"200", answer{status: 200, crc: "new", twin: 4, equals: 20}, "T-14"},
		{"200", answer{status: 200, crc: "old", twin: 4, equals: 20}, "T-03"},
		{"903", answer{status: 200, crc: "old", twin: 4, equals: 20}, "T-14"},
		{"903", answer{status: 200, crc: "old", twin: 4, equals: 19}, "T-01c"},
		{"never", answer{status: 905, crc: "new"}, "T-08"},
		{"905", answer{status: 905, crc: "old"}, "T-08"},
		{"905", answer{status: 200, crc: "old"}, "T-04"},
		{"302", answer{status: 905, crc: "new"}, "T-08"},
		{"200", answer{status: 905, crc: "new"}, "T-07"},
		{"200 lost", answer{status: 905, crc: "new"}, "T-07"},
		{"200", answer{status: 905, crc: "old"}, "T-08"},
		{"clone", answer{status: 905, crc: "old"}, "T-08"},
		{"200", answer{status: 905, crc: "new", bad: true}, "T-07"},
		{"200", answer{status: 905, crc: "new", gate: full}, "T-10"},
		{"200", answer{status: 905, crc: "old", gate: held}, "T-10"},
		{"200", answer{status: 905, crc: "old", gate: room}, "T-08"},
		{"200", answer{status: 905, crc: "old", swept: true}, "T-08"},
		{"200", answer{status: 905, crc: "new", swept: true}, ""},
		{"200", answer{status: 905, crc: "new", swept: true, gate: held}, ""},
		{"905", answer{status: 905, crc: "old", swept: true}, ""},
		{"withdrawn", answer{status: 905, crc: "old", swept: true}, ""},
		{"200", answer{status: 404, bad: true}, "T-13"},
		{"never", answer{status: 410, bad: true}, "T-13"},
		{"200", answer{status: 403, bad: true}, "T-07"},
		{"200", answer{status: 404, gate: held}, "T-10"},
		{"200 lost", answer{status: 404, gate: held}, "T-10"},
		{"200", answer{status: 404, bad: true, gate: held}, "T-10"},
		{"200", answer{status: 602, gate: held}, "T-10"},
		{"200", answer{status: 805, gate: held}, "T-10"},
		{"404", answer{status: 404, gate: held}, "T-08"},
		{"200", answer{status: 406, crc: "new", gate: held}, "T-06"},
		{"200", answer{status: 404, gate: full}, "T-10"},
		{"200 lost", answer{status: 404, gate: full}, "T-07"},
		{"200", answer{status: 404, gate: room}, "T-07"},
		{"200", answer{status: 404, gate: small}, "T-07"},
		{"200", answer{status: 404, gate: open}, "T-07"},
		{"200", answer{status: 404, gate: lastStart}, "T-10"},
		{"kept", answer{status: -3, swept: true}, "T-20"},
		{"kept", answer{status: -3, swept: true, gate: held}, ""},
		{"406 kept", answer{status: -3, swept: true, gate: room}, "T-20"},
		{"withdrawn", answer{status: -3, swept: true}, ""}, // it was removed meanwhile
		{"200 lost", answer{status: -1, purge: 404, swept: true}, "T-18"},
		{"200 lost", answer{status: -1, purge: 404, swept: true, gate: held}, ""},
		{"200 lost", answer{status: -1, purge: 410, swept: true}, ""},
		{"200", answer{status: -1, purge: 404, swept: true}, ""},
		{"200 unreachable", answer{status: -1, purge: 705, swept: true}, "T-18"},
		{"200 lost, unreachable", answer{status: -1, purge: 705, swept: true}, "T-18"},
		{"200 lost", answer{status: -1, purge: 705, swept: true}, ""},
		{"301", answer{status: -2, swept: true}, "SR-09"},
		{"200", answer{status: -2, swept: true}, "SR-09"},
		{"200", answer{status: -2, swept: true, gate: held}, ""},
		{"404", answer{status: -2, swept: true}, ""},
		{"200", answer{status: -4, swept: true, gate: held}, "T-21"},
		{"never", answer{status: -4, swept: true}, "T-21"},
		{"withdrawn for good", answer{status: -4, swept: true}, "T-21"},
		{"withdrawn", answer{status: 0, swept: true}, "T-15"},
		{"withdrawn for good", answer{status: 0, swept: true}, ""},
		{"withdrawn for good", answer{status: 0}, "T-15"},
		{"withdrawn", answer{status: 900, swept: true}, ""},
		{"200", answer{status: 404}, "T-07"},
		{"200 lost", answer{status: 503}, "T-07"},
		{"clone", answer{status: 410}, "T-07"},
		{"never", answer{status: 404}, "T-08"},
		{"301", answer{status: 500}, "T-08"},
		{"406", answer{status: 403}, "T-08"},
		{"never", answer{status: 406}, "T-08"},
		{"200", answer{status: 406}, "T-07"},
		{"406", answer{status: 406}, "T-08"},
		{"406 answered", answer{status: 406}, "T-08"},
		{"406 answered", answer{status: 200, crc: "old"}, "T-04"},
		{"406 answered", answer{status: 406, crc: "old"}, "T-06"},
		{"200", answer{status: 602}, "T-09"},
		{"never", answer{status: 600}, "T-09"},
		{"200", answer{status: 702}, "T-10"},
		{"301", answer{status: 700}, "T-10"},
		{"404", answer{status: 705}, "T-10"},
		{"200", answer{status: statusRobotsUnavailable}, "T-10"},
		{"never", answer{status: statusRobotsUnavailable}, "T-10"}, // a robots.txt that cannot be had says nothing about the URL
		{"702", answer{status: statusRobotsUnavailable}, "T-10"},
		{"never", answer{status: 700}, "T-10n"},
		{"702", answer{status: 704}, "T-10n"},
		{"withdrawn, never", answer{status: 702}, "T-10"}, // it was not asked, but its host's robots.txt
		{"200", answer{status: 429, host: refused}, "T-10"},
		{"200 lost", answer{status: 503, host: refused}, "T-10"},
		{"301", answer{status: 429, host: refused}, "T-10"},
		{"404", answer{status: 503, host: refused}, "T-10"},
		{"never", answer{status: 429, host: refused}, "T-10n"},
		{"503", answer{status: 429, host: refused}, "T-10n"},
		{"429", answer{status: 705}, "T-10n"},
		{"429", answer{status: 404}, "T-08"},
		{"429", answer{status: 200, crc: "new"}, "T-04"},
		{"200", answer{status: 503, host: inDoubt}, "T-10"},
		{"200", answer{status: 503, host: inDoubt, again: true}, "T-07"},
		{"never", answer{status: 503, host: inDoubt}, "T-10n"},
		{"503", answer{status: 503, host: inDoubt, again: true}, "T-08"},
		{"200", answer{status: 503, host: refused, again: true}, "T-10"},
		{"200", answer{status: 503, host: refused, gate: lastStart}, "T-10"},
		{"200 unreachable", answer{status: -1, purge: 429, swept: true}, "T-18"},
		{"200 lost", answer{status: -1, purge: 429, swept: true}, ""},
		{"200", answer{status: 802}, "T-11"},
		{"never", answer{status: 800}, "T-11"},
		{"200", answer{status: statusRobotsForbidden}, "T-12"},
		{"never", answer{status: statusConfigForbidden}, "T-12"},
		{"withdrawn", answer{status: statusRobotsForbidden}, "T-12"},
		{"withdrawn", answer{status: statusAllowedAgain}, "T-15"},
	} {
		t.Run(fmt.Sprintf("%s: %s then %d", c.want, c.previous, c.answer.status), func(t *testing.T) {
			p := previousStates[c.previous]
			p.Twin, p.Equals, p.Gate = c.answer.twin, c.answer.equals, c.answer.gate
			p.NextIndexTime = 1
			if c.answer.again {
				p.Refused = 1
			}
			if c.answer.gate == lastStart {
				p.NextIndexTime = 0
			}
			server := &Server{Index: true, Follow: true, DeleteBad: c.answer.bad}
			if c.answer.mode {
				server.Index = false
			}
			o := &outcome{
				due: &crawl.Due{ID: id}, status: c.answer.status, crc: c.answer.crc, forced: c.answer.forced, server: server,
				opt: &Options{Clones: true, InfiniteDuplicates: 20, MaxLostShare: 0.3}, settled: c.answer.swept, purge: c.answer.purge,
				refused:  c.answer.host,
				excluded: c.answer.status == 406 && c.answer.crc != "", // a server's own 406 is not read
			}
			got := ""
			if row := decide(&p, o); row != nil {
				got = row.id
			}
			if got != c.want {
				t.Errorf("decide: got %q, want %q", got, c.want)
			}
		})
	}
}

// TestEveryAttemptMeetsARow: a pair that fits no row would be a silent no-op.
func TestEveryAttemptMeetsARow(t *testing.T) {
	for name, p := range previousStates {
		for status := 100; status < 906; status++ {
			switch {
			case status == 304 && !hasContent(&p): // the fetcher makes 605 of it
				continue
			case status == 903: // what T-14 makes of a 200, no result
				continue
			}
			o := &outcome{due: &crawl.Due{ID: 10}, status: status, crc: "x", server: &Server{Index: true, Follow: true}, opt: &Options{}}
			for _, o.refused = range []refusal{notRefused, inDoubt, refused} {
				if decide(&p, o) == nil {
					t.Errorf("%s, then %d (refusal %d): no row fits", name, status, o.refused)
				}
			}
		}
	}
}

// TestStatusPacking compares urlword.status with the packed status of docs/reference/behavior.md, Status
// numbers.
func TestStatusPacking(t *testing.T) {
	s := store.Status(200)
	for n := 1; n <= 20; n++ {
		s = s.Lose(404)
		if s.Base() != 200 || s.Lost() != 404 || s.LostCount() != min(n, 15) || s < 65536 {
			t.Fatalf("loss %d: got base %d, lost %d, count %d", n, s.Base(), s.Lost(), s.LostCount())
		}
	}
	if again := store.Status(200).Lose(500).LoseAgain(503); again.LostCount() != 1 || again.Lost() != 503 {
		t.Errorf("a second error in a run: got count %d, status %d; want 1, 503", again.LostCount(), again.Lost())
	}
}
