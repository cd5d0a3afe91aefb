package e2e

import (
	"context"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/posting"
)

// record is everything that the tables hold about one URL. URLs are identified by their paths on the site,
// times by their distance from now in steps of five minutes, so that a test can state a whole record.
type record struct {
	URL     urlRow
	Content *contentRow  // of urlwordsNN
	State   *stateRow    // of urlstate
	History []historyRow // of the last run, in order
	Journal []journalRow
	Mark    *markRow
}

type urlRow struct {
	Deleted                 bool
	Status                  string // as packedText
	CRC, ETag, LastModified string
	LastIndex, Next         string
	Referrer, Redir, Origin string // paths, empty for 0
	Tag, Hops               int
}

type contentRow struct {
	Deleted                            bool
	WordCount, TotalCount, DocSize     int
	ContentType, Charset, Title, Text  string
	Keywords, Description, Lang, Links string
	Body                               string // unpacked; noBody for NULL
}

const noBody = "NULL"

type stateRow struct {
	Attempts, Events      int
	Last                  string // attempt
	Class                 string // of the running series of errors
	Errors                int
	Seen                  string // run: this or before
	Mode                  int
	Hash                  string // of the rules for links: A, B, ... as they came up in this test
	Meta, Marks           string
	WithdrawnBy, NextWhy  string
	Pace, Step, Unchanged int
	Priority              float32
}

type historyRow struct {
	Rule     string
	Result   int
	Old, New string // as packedText
	Bytes    int64
	Cause    string
	At       string
}

type journalRow struct {
	By               string // the visit that wrote it: the URL at its place of its schedule, which belongs to the last run
	Status           int
	Words            string // word and positions: alpha b0 t1
	Added, Removed   string
	Redir            string
	Modified, At     string
	Same             bool
	OlderThanTheMark bool
}

type markRow struct {
	Reason, Links string
	Run, At       string
}

// packedText unpacks urlword.status: "200", "200 lost 404 x1".
func packedText(packed store.Status) string {
	if packed.Lost() == 0 {
		return fmt.Sprint(int32(packed))
	}
	return fmt.Sprintf("%d lost %d x%d", packed.Base(), packed.Lost(), packed.LostCount())
}

// neverTime is the next_index_time of a URL that is not due again.
const neverTime = 1 << 62

// distance returns the distance of a time from now.
func distance(now, at time.Time) string {
	d := at.Sub(now).Round(5 * time.Minute)
	switch {
	case d == 0:
		return "now"
	case d > 0:
		return "+" + longSpan(d)
	}
	return "-" + longSpan(-d)
}

// longSpan writes a duration of whole minutes as urlstate.next_why does: 1d, 5h20m.
func longSpan(d time.Duration) string {
	var b strings.Builder
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if n := d / unit.length; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			d -= n * unit.length
		}
	}
	return b.String()
}

// roundWhy rounds the time in a reason that comes from a date sent by the server.
func roundWhy(why string) string {
	what, span, found := strings.Cut(why, " ")
	if !found || what != "expires" && what != "retry-after" {
		return why
	}
	days, rest, found := strings.Cut(span, "d")
	if !found {
		days, rest = "0", span
	}
	n, err := strconv.Atoi(days)
	if err != nil {
		return why
	}
	d, err := time.ParseDuration(rest + "0s")
	if err != nil {
		return why
	}
	return what + " " + longSpan((time.Duration(n)*24*time.Hour + d).Round(5*time.Minute))
}

// reader reads records from the tables.
type reader struct {
	w      *world
	base   string // of the site
	names  map[int32]string
	now    time.Time
	run    int32             // the last one
	hashes map[string]string // letters
}

func (r *reader) epoch(at int64) string {
	switch {
	case at == neverTime:
		return "never"
	case at <= 0:
		return fmt.Sprint(at)
	}
	return distance(r.now, time.Unix(at, 0))
}

func (r *reader) at(t *time.Time) string {
	if t == nil {
		return ""
	}
	return distance(r.now, *t)
}

func (r *reader) path(id int32) string {
	if id == 0 {
		return ""
	}
	if name, ok := r.names[id]; ok {
		return name
	}
	return fmt.Sprintf("url %d", id)
}

func (r *reader) paths(ids []int32) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = r.path(id)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func (r *reader) letter(hash []byte) string {
	if hash == nil {
		return ""
	}
	if _, ok := r.hashes[string(hash)]; !ok {
		r.hashes[string(hash)] = string(rune('A' + len(r.hashes)))
	}
	return r.hashes[string(hash)]
}

func (r *reader) when(run int32) string {
	switch run {
	case 0:
		return ""
	case r.run:
		return "this run"
	}
	return "before"
}

// query calls f for each row, with its columns scanned into the places that into returns.
func (r *reader) query(sql string, into []any, f func(), args ...any) {
	r.w.t.Helper()
	rows, err := r.w.pool.Query(context.Background(), sql, args...)
	if err != nil {
		r.w.t.Fatalf("%v\n%s", err, sql)
	}
	if _, err := pgx.ForEachRow(rows, into, func() error { f(); return nil }); err != nil {
		r.w.t.Fatalf("%v\n%s", err, sql)
	}
}

// all reads the records of every URL, by path.
func (r *reader) all() map[string]*record {
	r.w.t.Helper()
	r.names = map[int32]string{}
	found := map[string]*record{}
	byID := map[int32]*record{}
	var id int32
	r.query(`SELECT now(), coalesce((SELECT max(run_id) FROM crawl_history), 0)`, []any{&r.now, &r.run}, func() {})
	var url string
	r.query(`SELECT url_id, url FROM urlword`, []any{&id, &url}, func() {
		path := strings.TrimPrefix(url, r.base)
		r.names[id], byID[id] = path, &record{}
		found[path] = byID[id]
	})

	var u urlRow
	var status store.Status
	var last, next int64
	var referrer, redir, origin int32
	r.query(`SELECT url_id, deleted = 1, status, crc, etag, last_modified, last_index_time, next_index_time, referrer, redir, origin, tag, hops FROM urlword`,
		[]any{&id, &u.Deleted, &status, &u.CRC, &u.ETag, &u.LastModified, &last, &next, &referrer, &redir, &origin, &u.Tag, &u.Hops}, func() {
			u.Status, u.LastIndex, u.Next = packedText(status), r.epoch(last), r.epoch(next)
			u.Referrer, u.Redir, u.Origin = r.path(referrer), r.path(redir), r.path(origin)
			byID[id].URL = u
		})

	var c contentRow
	var packed []byte
	var links []int32
	r.query(`SELECT url_id, deleted = 1, wordcount, totalcount, docsize, content_type, charset, title, txt, keywords, description, lang, words, hrefs FROM urlwords`,
		[]any{
			&id, &c.Deleted, &c.WordCount, &c.TotalCount, &c.DocSize, &c.ContentType, &c.Charset, &c.Title, &c.Text, &c.Keywords,
			&c.Description, &c.Lang, &packed, &links,
		}, func() {
			row := c
			row.Links, row.Body = r.paths(links), noBody
			if packed != nil {
				body, err := store.UnpackContent(packed, 1<<20)
				if err != nil {
					r.w.t.Fatal(err)
				}
				row.Body = string(body)
			}
			byID[id].Content = &row
		})

	var s stateRow
	var attempt *time.Time
	var seen int32
	var hash []byte
	var meta *string
	var marks []string
	// The pages have nothing but content: what is left out of them (the higher bits of the mode) is TestNavigationIsNoContent's.
	r.query(`SELECT url_id, attempts, events, last_attempt, error_class, error_count, seen_run, index_mode & 65535, links_hash, meta::text, marks,
			withdrawn_by, next_why, pace, step, unchanged, priority FROM urlstate`,
		[]any{
			&id, &s.Attempts, &s.Events, &attempt, &s.Class, &s.Errors, &seen, &s.Mode, &hash, &meta, &marks,
			&s.WithdrawnBy, &s.NextWhy, &s.Pace, &s.Step, &s.Unchanged, &s.Priority,
		}, func() {
			row := s
			row.Last, row.Seen, row.Hash, row.Marks = r.at(attempt), r.when(seen), r.letter(hash), strings.Join(marks, " ")
			row.NextWhy = roundWhy(s.NextWhy)
			if meta != nil {
				row.Meta = *meta
			}
			byID[id].State = &row
		})
	r.events(byID)
	return found
}

// events reads what the last run did.
func (r *reader) events(byID map[int32]*record) {
	r.w.t.Helper()
	var id, run int32
	var h historyRow
	var before, after store.Status
	var at time.Time
	r.query(`SELECT url_id, rule, result, old_status, new_status, bytes, cause, at FROM crawl_history WHERE run_id = $1 ORDER BY at, slot`,
		[]any{&id, &h.Rule, &h.Result, &before, &after, &h.Bytes, &h.Cause, &at}, func() {
			h.Old, h.New, h.At = packedText(before), packedText(after), r.at(&at)
			h.Cause = strings.ReplaceAll(strings.ReplaceAll(h.Cause, r.base, "SITE"), r.w.dir, "DIR")
			byID[id].History = append(byID[id].History, h)
		}, r.run)

	var m markRow
	var links []int32
	r.query(`SELECT url_id, run_id, reason, links, marked_at FROM markdel`, []any{&id, &run, &m.Reason, &links, &at}, func() {
		row := m
		row.Run, row.Links, row.At = r.when(run), r.paths(links), r.at(&at)
		byID[id].Mark = &row
	})

	var j journalRow
	var by, redir int32
	var words []byte
	var added, removed []int32
	var modified *time.Time
	r.query(`SELECT j.url_id, coalesce(s.url_ids[j.place + 1], 0), j.status, j.words, j.links_added, j.links_removed, j.redir, j.modified, j.fetched_at,
			j.same_content, j.seq < coalesce(m.seq, 0)
		FROM journal j LEFT JOIN schedule s ON s.seq = j.schedule_seq AND s.run_id = j.run_id AND j.run_id = $1 LEFT JOIN markdel m ON m.url_id = j.url_id
		ORDER BY j.seq`,
		[]any{&id, &by, &j.Status, &words, &added, &removed, &redir, &modified, &at, &j.Same, &j.OlderThanTheMark}, func() {
			row := j
			row.By, row.Redir, row.Added, row.Removed = r.path(by), r.path(redir), r.paths(added), r.paths(removed)
			row.Modified, row.At, row.Words = r.at(modified), r.at(&at), r.words(words)
			byID[id].Journal = append(byID[id].Journal, row)
		}, r.run)
}

// words unpacks journal.words: "alpha b0 t1".
func (r *reader) words(packed []byte) string {
	r.w.t.Helper()
	if packed == nil {
		return ""
	}
	reader, err := posting.NewWordsReader(packed)
	if err != nil {
		r.w.t.Fatal(err)
	}
	var list []string
	for reader.Next() {
		list = append(list, string(reader.Word()))
		for _, p := range reader.Positions() {
			list = append(list, fmt.Sprintf("%c%d", "bdkt"[p>>14], p&0x3fff))
		}
	}
	if reader.Err() != nil {
		r.w.t.Fatal(reader.Err())
	}
	return strings.Join(list, " ")
}

// clone copies a record deeply.
func (r *record) clone() *record {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	b := &record{}
	if err := json.Unmarshal(text, b); err != nil {
		panic(err)
	}
	return b
}

// crcOf returns the crc column of a body: its MD5.
func crcOf(body string) string { return fmt.Sprintf("%x", md5.Sum([]byte(body))) }
