package spider

import (
	"fmt"
	"testing"

	"github.com/pgseek/pgseek/store"
)

// previousStates are all that rules.md 4.1 tells apart.
var previousStates = map[string]store.Previous{
	"never":     {},
	"withdrawn": {Status: 200, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true, Deleted: true},
	"200":       {Status: 200, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true},
	"200 lost":  {Status: store.Status(200).Lose(404), CRC: "old", IndexMode: 3, HasRow: true, HasContent: true},
	"clone":     {Status: 200, CRC: "old", IndexMode: 3, Origin: 5},
	"406":       {Status: 406, CRC: "old", IndexMode: 3, HasRow: true, HasContent: true},
	"406 bare":  {Status: 406, CRC: "old", IndexMode: 3},
	"301":       {Status: 301, HasRow: true, Redir: 7},
	"302":       {Status: 302, HasRow: true, Redir: 7},
	"404":       {Status: 404},
	"500":       {Status: 500},
	"605":       {Status: 605},
	"702":       {Status: 702},
	"800":       {Status: 800},
}

// TestTransitionTable holds decide against rules.md 4.1, row by row.
func TestTransitionTable(t *testing.T) {
	type answer struct {
		status int
		crc    string
		forced bool
		mode   bool // another indexing mode than stored
		twin   store.URLID
	}
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
		{"200", answer{status: 302}, "T-05"},
		{"404", answer{status: 301}, "T-05"},
		{"never", answer{status: 406, crc: "new"}, "T-06"},
		{"200", answer{status: 406, crc: "new"}, "T-06"},
		{"200", answer{status: 406, crc: "old", mode: true}, "T-06"},
		{"200", answer{status: 404}, "T-07"},
		{"200 lost", answer{status: 503}, "T-07"},
		{"clone", answer{status: 410}, "T-07"},
		{"never", answer{status: 404}, "T-08"},
		{"301", answer{status: 500}, "T-08"},
		{"406", answer{status: 403}, "T-08"},
		{"200", answer{status: 602}, "T-09"},
		{"never", answer{status: 600}, "T-09"},
		{"200", answer{status: 702}, "T-10"},
		{"301", answer{status: 700}, "T-10"},
		{"404", answer{status: 705}, "T-10"},
		{"200", answer{status: statusRobotsUnavailable}, "T-10"},
		{"never", answer{status: statusRobotsUnavailable}, "T-10"}, // robots.txt out of reach says nothing about the URL (rules.md 3.1)
		{"702", answer{status: statusRobotsUnavailable}, "T-10"},
		{"never", answer{status: 700}, "T-10n"},
		{"702", answer{status: 704}, "T-10n"},
		{"200", answer{status: 802}, "T-11"},
		{"never", answer{status: 800}, "T-11"},
		{"200", answer{status: statusRobotsForbidden}, "T-12"},
		{"never", answer{status: statusConfigForbidden}, "T-12"},
		{"withdrawn", answer{status: statusRobotsForbidden}, "T-12"},
		{"withdrawn", answer{status: statusAllowedAgain}, "T-15"},
	} {
		t.Run(fmt.Sprintf("%s: %s then %d", c.want, c.previous, c.answer.status), func(t *testing.T) {
			p := previousStates[c.previous]
			p.Twin = c.answer.twin
			server := &Server{Index: true, Follow: true}
			if c.answer.mode {
				server.Index = false
			}
			o := &outcome{due: &store.Due{ID: id}, status: c.answer.status, crc: c.answer.crc, forced: c.answer.forced, server: server}
			got := decide(&p, o)
			if got == nil || got.id != c.want {
				t.Errorf("decide: got %v, want %s", got, c.want)
			}
		})
	}
}

// TestEveryAttemptMeetsARow: a pair that fits no row would be a silent no-op (style.md 5).
func TestEveryAttemptMeetsARow(t *testing.T) {
	for name, p := range previousStates {
		for status := 100; status < 904; status++ {
			switch {
			case status == 304 && !hasContent(&p): // the fetcher makes 605 of it
				continue
			case status == 903: // T-14 comes with the infinite spaces
				continue
			}
			o := &outcome{due: &store.Due{ID: 10}, status: status, crc: "x", server: &Server{Index: true, Follow: true}}
			if decide(&p, o) == nil {
				t.Errorf("%s, then %d: no row fits", name, status)
			}
		}
	}
}

// TestStatusPacking holds urlword.status against C-01.
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
