package storetest

import (
	"crypto/md5"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/migrations"
)

// checkSchema checks that the schema is the program's, or a newer one, which every program refuses before it
// reads anything.
func checkSchema(d *database) {
	newest, err := migrations.Newest(migrations.FS)
	switch {
	case err != nil:
		d.report("goose_db_version: %v", err)
	case d.schema < newest:
		d.report("goose_db_version: schema version %d, the program's is %d", d.schema, newest)
	}
}

// checkNamers checks that all sitemaps have a site and something that names them, and that what names URLs is there.
func checkNamers(d *database) {
	for _, n := range d.namers {
		d.report("%s %d is not there", n.What, n.Source)
	}
}

// checkKeys checks that urlkey has one row for each URL, with the MD5 of its text.
func checkKeys(d *database) {
	keyed := map[int32]bool{}
	for _, k := range d.keys {
		u := d.url[k.URL]
		switch {
		case u == nil:
			d.report("urlkey: a key of %s", d.name(k.URL))
		case keyed[k.URL]:
			d.report("urlkey: a second key of %s", d.name(k.URL))
		case string(k.Hash) != sum(u.URL):
			d.report("urlkey: the key of %s is not its hash", d.name(k.URL))
		}
		keyed[k.URL] = true
	}
	for i := range d.urls {
		if !keyed[d.urls[i].ID] {
			d.report("urlkey: %s has no key", d.name(d.urls[i].ID))
		}
	}
}

func sum(text string) string {
	hash := md5.Sum([]byte(text))
	return string(hash[:])
}

// crcPattern is a digest as urlword.crc has it.
var crcPattern = regexp.MustCompile(`^[0-9a-f]{32}$`)

// checkURLs checks that a URL is on its site, that its status is valid, and that the columns that depend on
// the status fit it.
func checkURLs(d *database) {
	for i := range d.urls {
		u := &d.urls[i]
		bad := func(format string, args ...any) { d.report("urlword: "+d.name(u.ID)+": "+format, args...) }
		if s := d.site[u.Site]; s == nil {
			bad("its site %d is not there", u.Site)
		} else if !strings.HasPrefix(u.URL, s.Site) {
			bad("is not on its site %s", s.Site)
		}
		if u.Status != 0 && u.Status < 65536 && !plainStatus(u.base()) {
			bad("status %d is not a valid status of a URL", u.Status)
		}
		if u.Status < 0 || u.Status >= 65536 && (u.base() != 200 || u.count() == 0 || !lostStatus(u.lost())) {
			bad("status %d: base %d, lost %d, %d times", u.Status, u.base(), u.lost(), u.count())
		}
		if u.CRC != "" && !crcPattern.MatchString(u.CRC) {
			bad("crc %q is no digest", u.CRC)
		}
		if u.CRC == "" && u.live() {
			bad("a live document without crc")
		}
		if u.CRC != "" && !u.Deleted && (u.base() == 301 || u.base() == 302 || u.base() == 906 || u.Status == 0) {
			bad("status %d with a crc (T-05, T-15)", u.base())
		}
		refused := u.base() == 429 || u.base() == 503
		if answered := u.Status != 0 && !refused && (u.base() < 700 || u.base() >= 800); answered && u.LastIndex <= 0 {
			bad("answered %d, but last_index_time is %d", u.base(), u.LastIndex)
		}
		if u.Next < -2 {
			bad("next_index_time %d", u.Next)
		}
		if u.Referrer != 0 && d.url[u.Referrer] == nil {
			bad("its referrer %d is not there", u.Referrer)
		}
	}
	for _, o := range d.others {
		if d.url[o.URL] == nil {
			d.report("%s: %s", o.Table, d.name(o.URL))
		}
	}
}

// plainStatus reports whether a status without a lost part is valid in urlword: 304 is never stored, 900 to
// 902 are in crawl_history only.
func plainStatus(s int32) bool {
	return s >= 100 && s <= 599 && s != 304 || s >= 600 && s <= 606 || s >= 700 && s <= 708 || s >= 800 && s <= 806 || s >= 903 && s <= 906
}

// lostStatus reports whether a live document can turn lost by an error (T-07, T-09, T-11): never by one
// without an answer.
func lostStatus(s int32) bool {
	return plainStatus(s) && s < 900 && (s < 700 || s >= 800) && s != 200 && s != 301 && s != 302
}

// checkWithdrawn checks that urlword.deleted has its rule in urlstate.withdrawn_by, and that the row is as
// that rule leaves it (T-12, T-13, T-21, SR-09).
func checkWithdrawn(d *database) {
	for i := range d.states {
		if s := &d.states[i]; d.url[s.URL] == nil {
			d.report("urlstate: %s", d.name(s.URL))
		} else if (s.ErrorClass == "") != (s.ErrorCount == 0) || s.ErrorCount < 0 {
			d.report("urlstate: %s: %d errors of class %q", d.name(s.URL), s.ErrorCount, s.ErrorClass)
		} else if s.Attempts < 0 || s.Events < s.Attempts || (s.Attempts > 0) != s.Tried {
			d.report("urlstate: %s: %d attempts, %d events, last_attempt set: %v", d.name(s.URL), s.Attempts, s.Events, s.Tried)
		}
	}
	for i := range d.urls {
		u := &d.urls[i]
		by := ""
		if s := d.state[u.ID]; s != nil {
			by = s.WithdrawnBy
		}
		if u.Deleted != (by != "") {
			d.report("urlstate: %s: deleted is %v, withdrawn_by %q", d.name(u.ID), u.Deleted, by)
		}
		if d.kept(u) && (u.CRC == "" || !(u.base() == 406 || u.base() == 200 && by == "T-12")) {
			d.report("urlstate: %s: kept with status %d, withdrawn_by %q, crc %q", d.name(u.ID), u.Status, by, u.CRC)
		}
		if by == "T-13" && u.Status != 404 && u.Status != 410 {
			d.report("urlword: %s: withdrawn by T-13 with status %d", d.name(u.ID), u.Status)
		}
		if by == "SR-09" && u.Status != 200 && u.Status != 301 && u.Status != 302 && u.Status != 406 && u.Status != 906 {
			d.report("urlword: %s: an orphan was purged with status %d", d.name(u.ID), u.Status)
		}
		if (by == "SR-09" || by == "T-21") != (u.Next >= neverDue) {
			d.report("urlword: %s: next_index_time %d, withdrawn_by %q: a purged orphan and what the operator removed, and they alone, are never due", d.name(u.ID), u.Next, by)
		}
	}
}

// checkHistory checks that the rows of a URL fill the slots from 0, at most HistoryKeep of them, the same
// number for all URLs; that each begins with the status with which the one before ended, and that the last
// one has the status of the URL.
func checkHistory(d *database) {
	byURL := map[int32][]historyRow{}
	for _, h := range d.history {
		byURL[h.URL] = append(byURL[h.URL], h)
		if d.url[h.URL] == nil {
			d.report("crawl_history: a row of %s", d.name(h.URL))
		}
		if d.run[h.Run] == nil {
			d.report("crawl_history: %s: its run %d is not there", d.name(h.URL), h.Run)
		}
	}
	keep := map[int]int32{} // rows of URLs that had more events → one of these URLs
	most, mostOf := 0, int32(0)
	for i := range d.urls {
		u := &d.urls[i]
		rows, events := byURL[u.ID], 0
		if s := d.state[u.ID]; s != nil {
			events = int(s.Events)
		}
		if len(rows) > events || len(rows) == 0 && events > 0 {
			d.report("crawl_history: %s has %d rows of %d events", d.name(u.ID), len(rows), events)
			continue
		}
		if len(rows) > most {
			most, mostOf = len(rows), u.ID
		}
		if len(rows) < events {
			keep[len(rows)] = u.ID
		}
		d.checkChain(u, rows, events)
	}
	for n, url := range keep {
		if n < most {
			d.report("crawl_history: HistoryKeep is %d for %s, but %s has %d rows", n, d.name(url), d.name(mostOf), most)
		}
	}
}

// checkChain follows the statuses of a URL through its rows, which are in the order of their slots. A purged
// orphan that is found again starts from status 0 without a row (SR-09).
func (d *database) checkChain(u *urlRow, rows []historyRow, events int) {
	for k, h := range rows {
		if int(h.Slot) != k {
			d.report("crawl_history: %s: slot %d, but the next free slot is %d", d.name(u.ID), h.Slot, k)
			return
		}
	}
	rule, status := "", int32(0) // of the row before
	for k := range rows {
		h := rows[(events+k)%len(rows)] // the oldest first
		revived := (rule == "SR-09" || rule == "T-21") && h.Old == 0
		if (k > 0 || events == len(rows)) && h.Old != status && !revived {
			d.report("crawl_history: %s: slot %d, %s, starts with status %d after %d", d.name(u.ID), h.Slot, h.Rule, h.Old, status)
		}
		rule, status = h.Rule, h.New
	}
	revived := (rule == "SR-09" || rule == "T-21") && !u.Deleted && u.Status == 0
	if u.Status != status && !revived {
		d.report("crawl_history: %s: ends with status %d (%s), urlword has %d", d.name(u.ID), status, rule, u.Status)
	}
}

// Limits of the texts, in characters (B27).
const (
	maxURL         = 2048 // bytes
	maxTitle       = 128
	maxText        = 255
	maxKeywords    = 255
	maxDescription = 100
)

var langPattern = regexp.MustCompile(`^([a-z]{2})?$`)

// checkText checks that texts are within their limits, and have no character that would break a line or be
// cut off.
func checkText(d *database) {
	for i := range d.urls {
		u := &d.urls[i]
		if len(u.URL) > maxURL || !printable(u.URL) || strings.Contains(u.URL, " ") {
			d.report("urlword: %s: %d bytes, at most %d of visible characters", d.name(u.ID), len(u.URL), maxURL)
		}
		if !printable(u.Modified) || !printable(u.ETag) {
			d.report("urlword: %s: last_modified %q, etag %q", d.name(u.ID), u.Modified, u.ETag)
		}
	}
	for i := range d.contents {
		c := &d.contents[i]
		for _, f := range []struct {
			column, text string
			limit        int
		}{
			{"title", c.Title, maxTitle},
			{"txt", c.Text, maxText},
			{"keywords", c.Keywords, maxKeywords},
			{"description", c.Description, maxDescription},
		} {
			if n := utf8.RuneCountInString(f.text); n > f.limit {
				d.report("urlwords: %s: %s has %d characters, at most %d", d.name(c.URL), f.column, n, f.limit)
			}
			if strings.ContainsAny(f.text, "\t\n\r\f\v") || strings.Contains(f.text, "  ") {
				d.report("urlwords: %s: white space of %s is not collapsed: %q", d.name(c.URL), f.column, f.text)
			}
		}
		if !langPattern.MatchString(c.Lang) {
			d.report("urlwords: %s: lang %q", d.name(c.URL), c.Lang)
		}
		if !printable(c.Type) || !printable(c.Charset) {
			d.report("urlwords: %s: content_type %q, charset %q", d.name(c.URL), c.Type, c.Charset)
		}
	}
}

// printable reports whether a text has no control characters.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}
