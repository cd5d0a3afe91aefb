package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/realtime"
)

// writer collects the rows that the documents of a transaction write, and writes them with one statement for each table. The order
// of the statements is that of the actions of one document: what concerns other documents of its clone group, its mark, its row of
// urlword, its content, its journal, its state, its history.
type writer struct {
	documents     int
	before, after pgx.Batch
	marks         []markRow
	versions      []versionRow
	contents      [16][]contentRow
	journal       []journalRow
	attempts      [2][]attemptRow // of URLs without a row of urlstate, and with one
	events        []eventRow

	isRealtime bool
	shown      []realtime.Doc
}

// take adds what the actions of a document noted.
func (w *writer) take(d *DocumentTx) {
	w.documents++
	w.before.QueuedQueries = append(w.before.QueuedQueries, d.before.QueuedQueries...)
	w.after.QueuedQueries = append(w.after.QueuedQueries, d.after.QueuedQueries...)
	w.marks = appendRow(w.marks, d.mark)
	w.versions = appendRow(w.versions, d.version)
	w.contents[d.ID%16] = appendRow(w.contents[d.ID%16], d.content)
	w.journal = append(w.journal, d.journals...)
	known := 0
	if d.Prev.hasState {
		known = 1
	}
	w.attempts[known] = appendRow(w.attempts[known], d.attempt)
	w.events = appendRow(w.events, d.event)
	if d.realtime != nil {
		w.isRealtime = true
		for _, doc := range d.realtime.docs {
			w.shown = SetDoc(w.shown, doc)
		}
	}
}

func appendRow[R any](list []R, row *R) []R {
	if row == nil {
		return list
	}
	return append(list, *row)
}

// commit is the second round trip: all statements and COMMIT. Where searches find the documents at once it makes two: the statements
// with the reads of wordurl1, then its new rows and COMMIT.
func (w *writer) commit(ctx context.Context, conn *pgxpool.Conn) error {
	b := w.statements()
	if len(w.shown) > 0 {
		return realtime.Write(ctx, conn, b, w.shown)
	}
	b.Queue("COMMIT")
	return conn.SendBatch(ctx, b).Close()
}

// statements returns the statements in their order.
func (w *writer) statements() *pgx.Batch {
	b := &w.before
	writeMarks(b, w.marks)
	writeVersions(b, w.versions)
	for table := range w.contents {
		writeContents(b, table, w.contents[table])
	}
	writeJournal(b, w.journal)
	writeAttempts(b, newStatesSQL, w.attempts[0])
	writeAttempts(b, statesSQL, w.attempts[1])
	writeEvents(b, w.events)
	b.QueuedQueries = append(b.QueuedQueries, w.after.QueuedQueries...)
	return b
}

// column returns a column of some rows, as a parameter for unnest.
func column[R, T any](rows []R, value func(*R) T) []T {
	list := make([]T, len(rows))
	for i := range rows {
		list[i] = value(&rows[i])
	}
	return list
}

// lists is a column of lists of URLs as parameters: unnest knows no lists of lists. The list of a row is links[from:to], counted
// from 1.
type lists struct{ links, from, to []int32 }

func columnOfLists[R any](rows []R, value func(*R) []store.URLID) (l lists) {
	l = lists{links: []int32{}, from: make([]int32, len(rows)), to: make([]int32, len(rows))}
	for i := range rows {
		l.from[i] = int32(len(l.links)) + 1
		for _, id := range value(&rows[i]) {
			l.links = append(l.links, int32(id))
		}
		l.to[i] = int32(len(l.links))
	}
	return l
}
