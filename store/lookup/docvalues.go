package lookup

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

const (
	allRanksSQL = `SELECT /* store.DocValues */ url_id, rank FROM urlrank`
	allDatesSQL = `SELECT /* store.DocValues */ url_id, floor(extract(epoch FROM modified))::bigint, coalesce(length, 0), coalesce(lang, ''), coalesce(type, ''),
		coalesce(tag, 0)
		FROM docdates`
)

// DocValues reads the values of every document that a search keeps in memory: its link rank, when it last
// changed, in epoch seconds (docdates.modified), its length (posting.LengthCode; 0 = unknown), and
// its language, type and tag. All are of one moment.
func (s *Store) DocValues(ctx context.Context, rank func(store.URLID, float32), date func(u store.URLID, at int64, length byte), kind func(Kind)) error {
	return s.Search(ctx, func(x *Tx) error {
		var url store.URLID
		var r float32
		var at int64
		var length int16
		var k Kind
		x.ask(`SET LOCAL enable_seqscan = on`, nil, func(rows pgx.Rows) error { rows.Close(); return rows.Err() })
		x.ask(allRanksSQL, nil, each([]any{&url, &r}, func() error { rank(url, r); return nil }))
		x.ask(allDatesSQL, nil, each([]any{&url, &at, &length, &k.Language, &k.Type, &k.Tag}, func() error {
			date(url, at, byte(length))
			k.URL = url
			kind(k)
			return nil
		}))
		return x.SendLast(ctx)
	})
}

const (
	realtimeDatesSQL = `
		SELECT /* store.SearchRealtimeDates */ j.url_id, coalesce(d.unruled, d.modified), j.modified, j.fetched_at, j.same_content, s.dated
		FROM rt_urls r JOIN journal j ON j.url_id = r.url_id AND j.status IN (200, 406) -- journal_pkey
			LEFT JOIN docdates d ON d.url_id = r.url_id                          -- docdates_pkey
			LEFT JOIN urlstate s ON s.url_id = r.url_id                          -- urlstate_pkey
		ORDER BY j.url_id, j.seq`
	realtimeDatesOfSQL = `
		SELECT /* store.SearchRealtimeDates */ j.url_id, coalesce(d.unruled, d.modified), j.modified, j.fetched_at, j.same_content, s.dated
		FROM rt_urls r JOIN journal j ON j.url_id = r.url_id AND j.status IN (200, 406) -- rt_urls_pkey, journal_pkey
			LEFT JOIN docdates d ON d.url_id = r.url_id                          -- docdates_pkey
			LEFT JOIN urlstate s ON s.url_id = r.url_id                          -- urlstate_pkey
		WHERE r.url_id = ANY($1)
		ORDER BY j.url_id, j.seq`
)

// RealtimeDate holds the data from which the dates of a document in the real-time index are computed: one for
// each version that waits for the merge, in their order.
type RealtimeDate struct {
	URL      store.URLID
	Known    time.Time // as docdates has it, without a DateRule; zero when the index has no date
	Modified time.Time // the version's Last-Modified; zero when it had none
	Fetched  time.Time
	Same     bool      // the version has the content of the one before
	Ruled    time.Time // by a DateRule, the same for all versions of a document; zero for none
}

// RealtimeDates asks for the dates of all documents in the real-time index.
func (x *Tx) RealtimeDates(f func(RealtimeDate)) { x.realtimeDates(realtimeDatesSQL, nil, f) }

// RealtimeDatesOf asks for the dates of some documents. Documents outside the real-time index have none.
func (x *Tx) RealtimeDatesOf(urls []store.URLID, f func(RealtimeDate)) {
	x.realtimeDates(realtimeDatesOfSQL, []any{urls}, f)
}

func (x *Tx) realtimeDates(sql string, args []any, f func(RealtimeDate)) {
	var d RealtimeDate
	var known, modified, ruled *time.Time
	x.ask(sql, args, each([]any{&d.URL, &known, &modified, &d.Fetched, &d.Same, &ruled}, func() error {
		d.Known, d.Modified, d.Ruled = time.Time{}, time.Time{}, time.Time{}
		if known != nil {
			d.Known = *known
		}
		if modified != nil {
			d.Modified = *modified
		}
		if ruled != nil {
			d.Ruled = *ruled
		}
		f(d)
		return nil
	}))
}

const listenIndexSQL = `LISTEN ` + store.IndexChannel

// watchIndexSQL reads the row of totals. Every transaction that notifies also writes that row, and a standby
// shows nothing else.
const watchIndexSQL = `
	SELECT /* store.WatchIndex */ pg_is_in_recovery(), coalesce((SELECT changes FROM totals), 0), coalesce((SELECT xmin FROM totals), '0')`

// watchPause is the interval at which a standby is checked for changes of the index.
const watchPause = 2 * time.Second

// WatchIndex calls f when it begins to watch ("begin"), and then each time the index has changed ("merge",
// "ranks"; on a standby "change", and "begin" once more when it is promoted). It returns an error when the
// context ends or the connection breaks. Changes between two calls of WatchIndex are covered by the "begin"
// of the second one.
func (s *Store) WatchIndex(ctx context.Context, f func(what string)) error {
	conn, err := s.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("watch index: %w", err)
	}
	own := conn.Hijack() // it waits for notifications; a connection of the pool does not
	defer store.CloseConn(own)
	if err := watchStandby(ctx, own, f); err != nil {
		return fmt.Errorf("watch index: %w", err)
	}
	if _, err := own.Exec(ctx, listenIndexSQL); err != nil {
		return fmt.Errorf("watch index: %w", err)
	}
	f("begin")
	for {
		n, err := own.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("watch index: %w", err)
		}
		f(n.Payload)
	}
}

// watchStandby is WatchIndex as long as the server is a standby, which refuses LISTEN.
func watchStandby(ctx context.Context, conn *pgx.Conn, f func(what string)) error {
	var seen PostingsState
	for what := "begin"; ; what = "change" {
		var standby bool
		var now PostingsState
		err := conn.QueryRow(ctx, watchIndexSQL).Scan(&standby, &now.Changes, &now.Xmin)
		if err != nil || !standby {
			return err
		}
		if what == "begin" || now != seen {
			seen = now
			f(what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(watchPause):
		}
	}
}
