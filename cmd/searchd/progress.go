package main

import "time"

// progress is how far a database has been when: the ends of its WAL, as probes have seen them. It measures how long ago a database
// was where another one is now, without comparing clocks. An idle primary does not make its standbys late.
type progress struct{ marks []mark }

type mark struct {
	at  time.Time
	end int64 // in bytes since the beginning of the cluster
}

// maxMarks bounds the memory for a database. Of more marks every second one is dropped.
const maxMarks = 4096

// note adds how far the database is at a time. A lower end than before means another history.
func (p *progress) note(at time.Time, end int64) {
	if n := len(p.marks); n > 0 {
		switch last := p.marks[n-1].end; {
		case end == last:
			return
		case end < last:
			p.marks = nil
		}
	}
	p.marks = append(p.marks, mark{at, end})
	if len(p.marks) > maxMarks {
		kept := p.marks[:0]
		for i := 0; i < len(p.marks); i += 2 {
			kept = append(kept, p.marks[i])
		}
		p.marks = kept
	}
}

// behind returns how long, at a time, this database had had what another one lacked that was at end.
func (p *progress) behind(at time.Time, end int64) time.Duration {
	for _, m := range p.marks {
		if m.end > end {
			return max(at.Sub(m.at), 0)
		}
	}
	return 0
}
