package crawl

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// turn is a host whose turn it is to get a schedule.
type turn struct {
	lease  Lease
	group  int
	sites  int // locked
	known  int
	held   bool                 // it was leased, or began a pause, since it was found
	left   map[store.SiteID]int // of the sites that have a limit
	chosen []store.URLID
}

// lookForHosts asks for the next n hosts.
func (t *leasing) lookForHosts(b *pgx.Batch, n int) {
	pick := pickHostsSQL + skipLockedHostsSQL
	if t.alone {
		pick = pickHostsSQL
	}
	b.Queue(pick, t.r.Hosts.Only, t.r.Hosts.except(), t.r.Run, t.r.PerSite.Outside, n).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			h := &turn{lease: Lease{Run: t.r.Run, Attempt: 1, due: t.r.Due}, left: make(map[store.SiteID]int)}
			if err := rows.Scan(&h.lease.Host, &h.group); err != nil { // of files the host is empty
				return err
			}
			t.turns = append(t.turns, h)
		}
		return rows.Err()
	})
}

// chooseURLs locks the hosts and chooses URLs of one group of each, if there are any within the limits.
func (t *leasing) chooseURLs(b *pgx.Batch) {
	if len(t.turns) == 0 {
		return
	}
	hosts := make([]string, len(t.turns))
	byHost := make(map[string]*turn)
	for i, h := range t.turns {
		hosts[i] = h.lease.Host
		byHost[h.lease.Host] = h
	}
	lock := lockSitesSQL("SKIP LOCKED")
	if t.alone {
		lock = lockSitesSQL("")
	}
	b.Queue(lock, hosts, t.r.Run, t.r.PerSite.Outside).Query(func(rows pgx.Rows) error {
		var site store.SiteID
		var host string
		var held, works bool
		var left *int
		var ms int64
		var refusals int
		_, err := pgx.ForEachRow(rows, []any{&site, &host, &held, &works, &left, &ms, &refusals}, func() error {
			h := byHost[host]
			h.sites++
			h.held = h.held || held
			h.lease.Pace = Pace{Delay: time.Duration(ms) * time.Millisecond, Refusals: refusals}
			if works {
				h.lease.Sites = append(h.lease.Sites, site)
				if left != nil {
					h.left[site] = *left
				}
			}
			return nil
		})
		return err
	})
	b.Queue(countSitesSQL, hosts).Query(func(rows pgx.Rows) error {
		var host string
		var n int
		_, err := pgx.ForEachRow(rows, []any{&host, &n}, func() error { byHost[host].known = n; return nil })
		return err
	})
	for _, h := range t.turns {
		b.Queue(choiceSQL(t.r, h.group), choice(t.r, h.lease.Host, h.group, t.full())...).Query(func(rows pgx.Rows) error {
			var url store.URLID
			var site store.SiteID
			var fresh bool
			_, err := pgx.ForEachRow(rows, []any{&url, &site, &fresh}, func() error { h.choose(url, site, fresh, t.room); return nil })
			return err
		})
	}
}

// choose takes a URL within the limit of its site, and one that was never fetched within the room for new documents. A site that was registered after the others were locked has to wait.
func (h *turn) choose(url store.URLID, site store.SiteID, fresh bool, room *int) {
	fresh = fresh && room != nil
	if !slices.Contains(h.lease.Sites, site) || fresh && *room <= 0 {
		return
	}
	if n, limited := h.left[site]; limited {
		if n <= 0 {
			return
		}
		h.left[site] = n - 1
	}
	h.chosen = append(h.chosen, url)
	if fresh {
		*room--
		h.lease.fresh = append(h.lease.fresh, url)
	}
}

// newSchedulesSQL inserts schedules and holds their sites for them.
const newSchedulesSQL = `
	WITH made AS (
		INSERT /* store.Lease */ INTO schedule (run_id, process_id, fetcher, deadline, site_ids, url_ids)
		SELECT $1, $2, i.fetcher, now() + $3, ($4::integer[])[i.site_from:i.site_to], ($5::integer[])[i.url_from:i.url_to]
		FROM unnest($6::text[], $7::integer[], $8::integer[], $9::integer[], $10::integer[])
			WITH ORDINALITY i (fetcher, site_from, site_to, url_from, url_to, n)
		ORDER BY i.n
		RETURNING seq, fetcher, site_ids
	), held AS (
		UPDATE sitestate s SET lease_seq = h.seq, leased_at = now(), turn_at = now()
		FROM (SELECT seq, unnest(site_ids) AS site_id FROM made) h
		WHERE s.site_id = h.site_id
	)
	SELECT fetcher, seq FROM made`

// fresh makes a schedule of each host that has URLs, and lowers the urgency of the others.
func (w *leaseWriter) fresh() {
	t := w.t
	var fetchers []string
	var sites []store.SiteID
	var urls []store.URLID
	var ranges [4][]int
	made := make(map[string]*turn)
	for _, h := range t.turns {
		switch {
		case !t.alone && h.sites < h.known: // another transaction has locked one of them
			t.waiting.ready = true
		case h.held, len(h.lease.Sites) == 0:
			t.again = true
		case len(h.chosen) == 0:
			w.batch.Queue(lessUrgentSQL, h.lease.Sites, h.group, lessUrgent[h.group])
			t.again = true
		default:
			h.lease.Fetcher = w.take()
			made[h.lease.Fetcher] = h
			for i, at := range []int{len(sites) + 1, len(sites) + len(h.lease.Sites), len(urls) + 1, len(urls) + len(h.chosen)} {
				ranges[i] = append(ranges[i], at)
			}
			fetchers, sites, urls = append(fetchers, h.lease.Fetcher), append(sites, h.lease.Sites...), append(urls, h.chosen...)
			w.give(&h.lease, h.chosen)
		}
	}
	if len(fetchers) == 0 {
		return
	}
	w.batch.Queue(newSchedulesSQL, t.r.Run, t.r.Process, t.r.TimeOut, sites, urls, fetchers, ranges[0], ranges[1], ranges[2], ranges[3]).
		Query(func(rows pgx.Rows) error {
			var fetcher string
			var seq int64
			_, err := pgx.ForEachRow(rows, []any{&fetcher, &seq}, func() error { made[fetcher].lease.Seq = seq; return nil })
			return err
		})
}

// leaseWriter collects the third round trip.
type leaseWriter struct {
	t      *leasing
	batch  *pgx.Batch
	free   []string // fetchers
	leases []*Lease
	urls   []store.URLID
	places map[store.URLID]leasePlace
}

type leasePlace struct {
	lease *Lease
	place int
}

// take returns a fetcher without a lease.
func (w *leaseWriter) take() string {
	name := w.free[0]
	w.free = w.free[1:]
	return name
}

// give adds a lease. URLs that are 0 are left out; places are kept.
func (w *leaseWriter) give(l *Lease, urls []store.URLID) {
	w.leases = append(w.leases, l)
	for i, id := range urls {
		if id != 0 {
			w.urls = append(w.urls, id)
			w.places[id] = leasePlace{l, i}
		}
	}
}

// details fills the leases with the state that the requests need.
func (w *leaseWriter) details() {
	if len(w.urls) == 0 {
		return
	}
	w.batch.Queue(dueDetailsSQL, w.urls).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			d, err := scanDue(rows)
			if err != nil {
				return err
			}
			at := w.places[d.ID]
			d.Place = at.place
			at.lease.URLs = append(at.lease.URLs, d)
		}
		return rows.Err()
	})
}

// finish returns the leases, with their URLs in the order of their places.
func (w *leaseWriter) finish() []*Lease {
	for _, l := range w.leases {
		slices.SortFunc(l.URLs, func(a, b Due) int { return a.Place - b.Place })
	}
	return w.leases
}
