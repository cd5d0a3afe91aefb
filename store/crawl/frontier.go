package crawl

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pgseek/pgseek/store"
)

// The frontier: which URLs are due, and in which order.
//
// The work of a run is the URLs whose next_index_time is at most a threshold: the start of the run, or 0 for
// a --respider run. Each URL belongs to a class, and each class to a group; a batch holds URLs of one group.
// The host with the lowest group goes first, and among equals the one that has waited longest, so that small
// sites do not wait for large ones. The wait of a host begins later when it answers slowly (sitestate.turn_at), so that fast
// sites do not wait for slow ones. sitestate.next_class and next_due are an index over urlword for that.
//
// Inside a group the order is: class; frequently changing pages that were not fetched for 23 hours; priority;
// the longest due; url_id. Only the windowOf(batch) longest due URLs of a site are sorted in that order, so
// the cost of a lease does not grow with the number of known URLs. A page of high priority is preferred among
// those that are due about as long.

// Values of next_index_time that are not times.
const (
	DueStart   = int64(0)  // a start URL
	DueRecrawl = int64(-1) // index --recrawl
	DueReached = int64(-2) // a link reached it in a --respider run
)

// Groups of URLs, as in sitestate.next_class. URLs of index --recrawl and start URLs form one group. URLs
// that were never fetched and those that are new in this run form another.
const (
	groupAsked     = 0
	groupNew       = 1
	groupKnown     = 3
	groupWithdrawn = 4 // withdrawn by a rule, which is tested again
	groupNothing   = 9
)

// Limits narrow a run to some URLs (-s, -t, -u, -M): kinds are and-ed, values of a kind or-ed. Nil means any.
type Limits struct {
	Statuses []int32  // extended status, of the last good answer or of the loss
	Tags     []int32  // urlword.tag
	URLs     []string // LIKE patterns of the URL
	Tmpurl   bool     // only the URLs of table tmpurl
}

// Any reports whether there are no limits.
func (l Limits) Any() bool { return l.Statuses == nil && l.Tags == nil && l.URLs == nil && !l.Tmpurl }

// LimitsSQL is the condition of Limits without Tmpurl, on a row of urlword named w and the parameters $1 to $3.
const LimitsSQL = `
	($1::integer[] IS NULL OR (w.status & 65535) = ANY($1) AND w.status < 65536 OR (w.status >> 16 & 2047) = ANY($1) AND w.status >= 65536)
	AND ($2::integer[] IS NULL OR w.tag = ANY($2))
	AND ($3::text[] IS NULL OR w.url LIKE ANY($3))`

// workSQL is the condition of Limits, on a row of urlword named w and the parameters $1 to $4.
const workSQL = LimitsSQL + `
	AND (NOT $4 OR EXISTS (SELECT 1 FROM tmpurl m WHERE m.url_id = w.url_id))`

// with returns the parameters of a statement with workSQL.
func (l Limits) with(more ...any) []any {
	return append([]any{l.Statuses, l.Tags, l.URLs, l.Tmpurl}, more...)
}

// Hosts limits the hosts to which requests may be sent now (HostLoad).
type Hosts struct {
	Only   []string // nil = all
	Except []string
}

// except returns the hosts as a list that is never NULL: <> ALL of an empty list is true.
func (h Hosts) except() []string { return store.NotNil(h.Except) }

// openHostSQL is the condition of Hosts, on a row of sitestate named s and the parameters $1 and $2.
const openHostSQL = `($1::text[] IS NULL OR s.host = ANY($1)) AND s.host <> ALL($2)`

// pickHostsSQL reads sites in the order of their turn until it finds hosts that may be leased. A host has the turn of its first
// site; it is excluded while one of its sites is leased or pauses. l is its lowest site.
var pickHostsSQL = `
	SELECT /* store.Lease */ s.host, s.next_class          -- sitestate_turn
	FROM sitestate s JOIN sitestate l ON l.site_id = (SELECT min(m.site_id) FROM sitestate m WHERE m.host = s.host)
	WHERE s.lease_seq = 0 AND s.next_class < 9 AND ` + openHostSQL + ` AND ` + openSiteSQL("s", "$3", "$4") + `
		AND NOT EXISTS (SELECT 1 FROM sitestate o WHERE o.host = s.host AND (o.lease_seq <> 0 OR o.ready_at > now()
			OR o.next_class < 9 AND ` + openSiteSQL("o", "$3", "$4") + ` AND (o.next_class, o.turn_at, o.site_id) < (s.next_class, s.turn_at, s.site_id)))
	ORDER BY s.next_class, s.turn_at, s.site_id
	LIMIT $5`

// skipLockedHostsSQL, after pickHostsSQL, passes over hosts of other leases.
const skipLockedHostsSQL = `
	FOR UPDATE OF l SKIP LOCKED`

// waitingHostsSQL returns the pauses of the hosts that have work and may not be leased now. A pause that a host asked for
// and that is longer than $3 is not waited for. The last column says that a host may be leased, other than those of $6.
var waitingHostsSQL = `
	SELECT /* store.Lease */ coalesce(extract(epoch FROM min(o.ready_at) FILTER (
			WHERE s.open AND o.ready_at > now() AND ` + openHostSQL + ` AND (l.pause_until > now() + $3::interval) IS NOT TRUE) - now()), 0)::float8,
		count(*) FILTER (WHERE s.open AND NOT (` + openHostSQL + `)) > 0,
		count(*) FILTER (WHERE s.open AND l.pause_until > now() + $3 AND ` + openHostSQL + `) > 0,
		count(*) FILTER (WHERE NOT s.open) > 0,
		count(*) FILTER (WHERE s.open AND s.ready AND ` + openHostSQL + `) > 0
	FROM (SELECT s.host, ` + openSiteSQL("s", "$4", "$5") + ` AS open,
			s.host <> ALL($6) AND NOT EXISTS (SELECT 1 FROM sitestate b WHERE b.host = s.host AND (b.lease_seq <> 0 OR b.ready_at > now())) AS ready
		FROM sitestate s WHERE s.lease_seq = 0 AND s.next_class < 9) s
		JOIN sitestate o ON o.host = s.host
		LEFT JOIN host_limit l ON l.host = s.host                 -- host_limit_pkey`

// lockSitesSQL locks the sites of some hosts. It returns which are leased or pause, which have work within the limits, how many URLs of
// them the run may still request, and the pace of the host.
func lockSitesSQL(wait string) string {
	return `
	SELECT /* store.Lease */ s.site_id, s.host, s.lease_seq <> 0 OR s.ready_at > now(), s.next_class < 9 AND ` + openSiteSQL("s", "$2", "$3") + `,
		` + leftSQL("s", "$2", "$3") + `, coalesce(l.delay_ms, 0), coalesce(l.refusals, 0)
	FROM (SELECT * FROM sitestate WHERE host = ANY($1) ORDER BY site_id FOR UPDATE ` + wait + `) s     -- sitestate_host
	LEFT JOIN host_limit l ON l.host = s.host                         -- host_limit_pkey`
}

// countSitesSQL is a statement of its own after the locks, so that it sees a site that another lease knows as the lowest.
const countSitesSQL = `
	SELECT /* store.Lease */ host, count(*) FROM sitestate WHERE host = ANY($1) GROUP BY host -- sitestate_host`

// lessUrgentSQL records that sites have no URLs of this group within the limits. A site that was woken after
// the group was chosen keeps its new urgency.
const lessUrgentSQL = `
	UPDATE /* store.Lease */ sitestate SET next_class = $3
	WHERE site_id = ANY($1) AND next_class = $2`

// lessUrgent is the next group after each group.
var lessUrgent = map[int]int{groupAsked: groupNew, groupNew: groupKnown, groupKnown: groupWithdrawn, groupWithdrawn: groupNothing}

// windowOf returns how many URLs of a site are sorted for a batch.
func windowOf(batch int) int { return max(24, 2*batch) }

// candidateColumns are the columns of a row w of urlword that chooseSQL needs.
const candidateColumns = `w.url_id, w.next_index_time, w.last_index_time, w.hops, w.referrer, w.origin, w.deleted = 0 AND w.status = 0 AS fresh`

// candidatesSQL returns a query that reads the URLs of one group in the order of an index, up to the window.
func candidatesSQL(rows, due, class string) string {
	return `
		(SELECT ` + candidateColumns + `, ` + class + ` AS class FROM urlword w
		WHERE w.site_id = s.site_id AND ` + rows + ` AND ` + due + ` AND ` + workSQL + `
		ORDER BY w.next_index_time, w.url_id LIMIT $7)`
}

// The three kinds of rows, each with a partial index: urlword_new, urlword_due, urlword_withdrawn.
const (
	newRows       = `w.deleted = 0 AND w.status = 0`
	knownRows     = `w.deleted = 0 AND w.status <> 0`
	withdrawnRows = `w.deleted = 1`
)

// The due URLs of a site s, by a time or by a request of an operator. Only the index of the site can answer a
// comparison of rows, in its order, so the planner has no other choice. IS NOT TRUE keeps the planner from
// two index ranges, whose result would not be ordered.
const (
	dueByTime  = `(w.site_id, w.next_index_time) <= (s.site_id, $6::bigint) AND (w.next_index_time BETWEEN -1 AND 0) IS NOT TRUE`
	dueByOrder = `(w.site_id, w.next_index_time) >= (s.site_id, -1) AND (w.site_id, w.next_index_time) <= (s.site_id, 0)`
)

// rankSQL returns an expression for the damped importance of a URL that w names: the logarithm of ten times
// its link rank. For a URL without a rank (new URLs, errors, redirects; every URL before the first ranks) it
// is the number of pages that link to it. A clone is as important as its original, which has the ranks of
// both. Both measures begin near 0 and are similar in the middle. The size of the stored list of pages serves
// as its length, so that no list is unpacked.
func rankSQL(id string) string {
	return `coalesce(
			(SELECT ln(greatest(10 * r.rank::float8, 1)) FROM urlrank r WHERE r.url_id = ` + id + `),
			(SELECT ln(1 + greatest(pg_column_size(c.referrers) - 20, 0) / 4.0::float8) FROM citation c WHERE c.url_id = ` + id + `))`
}

// chooseSQL returns a query that sorts the candidates of a group. Its parameters are those of workSQL, the
// host, the threshold, the window, the batch, whether shallow URLs go first (-o), those of openSiteSQL, and whether URLs may be taken that
// were never fetched. The sub-selects look
// rows up one by one, whatever the planner estimates.
func chooseSQL(candidates ...string) string {
	return `
	SELECT /* store.Lease */ u.url_id, s.site_id, u.fresh
	FROM (SELECT s.site_id FROM sitestate s WHERE s.host = $5 AND s.next_class < 9 AND s.lease_seq = 0 AND ` + openSiteSQL("s", "$10", "$11") + `) s CROSS JOIN LATERAL (` + strings.Join(candidates, ` UNION ALL`) + `
	) u CROSS JOIN LATERAL (
		SELECT coalesce(` + rankSQL(`CASE WHEN u.origin <> 0 THEN u.origin ELSE u.url_id END`) + `, ` + rankSQL(`u.referrer`) + `, 0)
			+ CASE WHEN u.class = 3 THEN least(10, (extract(epoch FROM now())::float8 - u.last_index_time) / greatest(u.next_index_time - u.last_index_time, 1)) ELSE 0 END
			- CASE WHEN t.error_count > 0 THEN 1 ELSE 0 END AS priority,
			coalesce(t.pace = 1 AND (t.last_attempt IS NULL OR t.last_attempt < now() - interval '23 hours'), false) AS changes
		FROM (SELECT 1) one LEFT JOIN LATERAL (
			SELECT st.pace, st.error_count, st.last_attempt FROM urlstate st WHERE st.url_id = u.url_id LIMIT 1
		) t ON true OFFSET 0
	) p
	WHERE $12 OR NOT u.fresh
	ORDER BY CASE WHEN $9 THEN u.hops END, u.class, p.changes DESC, p.priority DESC, u.next_index_time, u.url_id
	LIMIT $8`
}

// groupSQL has the query that chooses the URLs of a batch, by group. A class sorts URLs within the group.
var groupSQL = map[int]string{
	groupAsked: chooseSQL(
		candidatesSQL(newRows, dueByOrder+` AND $6::bigint >= 0`, `w.next_index_time`),
		candidatesSQL(knownRows, dueByOrder+` AND $6::bigint >= 0`, `w.next_index_time`),
		candidatesSQL(withdrawnRows, dueByOrder+` AND $6::bigint >= 0`, `w.next_index_time`)),
	groupNew:       chooseSQL(candidatesSQL(newRows, dueByTime, `CASE WHEN w.next_index_time < $6 THEN 1 ELSE 2 END`)),
	groupKnown:     chooseSQL(candidatesSQL(knownRows, dueByTime, `3`)),
	groupWithdrawn: chooseSQL(candidatesSQL(withdrawnRows, dueByTime, `4`)),
}

// shallowSQL is candidatesSQL for -o: the URLs of one group at each depth, up to the window. The existing
// depths are found one after the other. kind is the group's value in urlword_hops, the only index in this
// order.
func shallowSQL(kind, class string) string {
	const depth = `SELECT min(w.hops) FROM urlword w WHERE w.site_id = s.site_id AND greatest(2 * w.deleted, least(w.status, 1)) = `
	return `
		(WITH RECURSIVE depth (hops) AS (
			` + depth + kind + `
			UNION ALL
			SELECT (` + depth + kind + ` AND w.hops > d.hops) FROM depth d WHERE d.hops IS NOT NULL
		)
		SELECT c.* FROM depth d CROSS JOIN LATERAL (
			SELECT ` + candidateColumns + `, ` + class + ` AS class FROM urlword w
			WHERE w.site_id = s.site_id AND greatest(2 * w.deleted, least(w.status, 1)) = ` + kind + ` AND w.hops = d.hops
				AND w.next_index_time <= $6::bigint AND (w.next_index_time BETWEEN -1 AND 0) IS NOT TRUE AND ` + workSQL + `
			ORDER BY w.site_id, greatest(2 * w.deleted, least(w.status, 1)), w.hops, w.next_index_time, w.url_id LIMIT $7
		) c)`
}

// shallowGroupSQL is groupSQL for -o. URLs that an operator asked for are few, so they need no window.
var shallowGroupSQL = map[int]string{
	groupAsked:     groupSQL[groupAsked],
	groupNew:       chooseSQL(shallowSQL(`0`, `CASE WHEN w.next_index_time < $6 THEN 1 ELSE 2 END`)),
	groupKnown:     chooseSQL(shallowSQL(`1`, `3`)),
	groupWithdrawn: chooseSQL(shallowSQL(`2`, `4`)),
}

// choiceSQL returns the query that chooses the URLs of a batch.
func choiceSQL(r *LeaseRequest, group int) string {
	if r.HopsFirst {
		return shallowGroupSQL[group]
	}
	return groupSQL[group]
}

// choice returns the parameters of choiceSQL. With -o there is one window for each depth, and all URLs that
// an operator asked for are read.
func choice(r *LeaseRequest, host string, group int, full bool) []any {
	window := new(int)
	*window = windowOf(r.Batch)
	if r.HopsFirst && group == groupAsked {
		window = nil
	}
	return r.Limits.with(host, r.Due, window, r.Batch, r.HopsFirst, r.Run, r.PerSite.Outside, !full)
}

// waitingHosts describes the hosts that have work and may not be leased now.
type waitingHosts struct {
	pause  time.Duration // of the next one, 0 = none pauses
	closed bool          // one may not be asked at this time of day
	paused bool          // one asked for a pause longer than LongestWait
	full   bool          // of a site the run may request no more
	ready  bool          // one may be leased: it was passed over, or has become due
}

func (t *leasing) askWaiting(b *pgx.Batch) {
	ours := make([]string, len(t.turns))
	for i, h := range t.turns {
		ours[i] = h.lease.Host
	}
	b.Queue(waitingHostsSQL, t.r.Hosts.Only, t.r.Hosts.except(), LongestWait, t.r.Run, t.r.PerSite.Outside, ours).QueryRow(func(row pgx.Row) error {
		w := &t.waiting
		var seconds float64
		err := row.Scan(&seconds, &w.closed, &w.paused, &w.full, &w.ready)
		w.pause = time.Duration(seconds * float64(time.Second))
		return err
	})
}

// siteDueSQL recomputes next_due and next_class of some sites from urlword, the source of truth, by its
// indexes. Its parameters are the sites, neverDue and the threshold.
const siteDueSQL = `
	first AS MATERIALIZED (
		SELECT s.site_id,
			(SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND ` + newRows + `) AS new,
			(SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND ` + knownRows + `) AS known,
			(SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND ` + withdrawnRows + `) AS withdrawn
		FROM unnest($1::integer[]) s (site_id)
	), due AS MATERIALIZED (
		SELECT s.site_id, coalesce(LEAST(new, known, withdrawn), $2) AS time,
			CASE
			WHEN LEAST(new, known, withdrawn) BETWEEN -1 AND 0 THEN 0
			WHEN LEAST(new, known, withdrawn) < -1 AND (
				(SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND ` + newRows + ` AND ` + dueByOrder + `) IS NOT NULL
				OR (SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND ` + knownRows + ` AND ` + dueByOrder + `) IS NOT NULL
				OR (SELECT min(w.next_index_time) FROM urlword w WHERE w.site_id = s.site_id AND ` + withdrawnRows + ` AND ` + dueByOrder + `) IS NOT NULL) THEN 0
			WHEN new <= $3 THEN 1
			WHEN known <= $3 THEN 3
			WHEN withdrawn <= $3 THEN 4
			ELSE 9 END AS class
		FROM first s
	)`

const lockWokenSQL = `
	SELECT /* store.WakeSites */ 1 FROM sitestate
	WHERE site_id = ANY($1)
	ORDER BY site_id
	FOR UPDATE`

// wakeSitesSQL runs after the lock: a lease that lowers the urgency of a site, or an acknowledgement that
// frees it, has written before, and this update comes after it.
const wakeSitesSQL = `
	UPDATE /* store.WakeSites */ sitestate
	SET next_due = LEAST(next_due, $2), next_class = LEAST(next_class, $3)
	WHERE site_id = ANY($1) AND (next_due > $2 OR next_class > $3)
	RETURNING lease_seq = 0`

// WakeSites marks sites as due because some of their URLs have become due: new ones, or with due DueRecrawl
// those that an operator asked for. It waits for a lease or an acknowledgement that is reading one of the
// sites, so that neither misses the other's change. When the URLs are less urgent than marked here, the next
// lease of the site finds out. When a process dies before it calls WakeSites, the lease that would end the
// run finds the URLs.
//
// It locks sites that are awake already, too: a lease or an acknowledgement that has not been committed may have looked before the URLs
// were registered, and put them to sleep. Sites that the process itself holds need not be named (see spider, heldSites).
func (s *Store) WakeSites(ctx context.Context, sites []store.SiteID, due int64) error {
	_, err := s.Wake(ctx, sites, due)
	return err
}

// Wake is WakeSites. It reports whether a site that nobody holds had less urgent work before, or none.
func (s *Store) Wake(ctx context.Context, sites []store.SiteID, due int64) (news bool, err error) {
	class := groupNew
	if due == DueRecrawl || due == DueStart {
		class = groupAsked
	}
	err = s.OnConn(ctx, "wake sites", func(conn *pgxpool.Conn) error {
		news = false
		var b pgx.Batch
		b.Queue("BEGIN")
		b.Queue(lockWokenSQL, sites)
		b.Queue(wakeSitesSQL, sites, due, class).Query(func(rows pgx.Rows) error {
			var free bool
			_, err := pgx.ForEachRow(rows, []any{&free}, func() error { news = news || free; return nil })
			return err
		})
		b.Queue("COMMIT")
		return conn.SendBatch(ctx, &b).Close()
	})
	return news, err
}

// overlookedSQL finds sites that have URLs of the run's work, if any. It reads no row that is not due.
var overlookedSQL = `
	SELECT /* store.Lease */ DISTINCT w.site_id
	FROM (
		SELECT w.site_id FROM urlword w                         -- urlword_next_index_time
		WHERE w.next_index_time <= $5 AND ($8 OR w.status <> 0 OR w.deleted = 1) AND ` + workSQL + `
			AND EXISTS (SELECT 1 FROM sitestate s WHERE s.site_id = w.site_id AND ` + openSiteSQL("s", "$6", "$7") + `)
		LIMIT 1000
	) w JOIN sitestate s ON s.site_id = w.site_id
	ORDER BY w.site_id`

// lookAgainSQL recomputes some sites from urlword. A site that no open schedule holds is free.
const lookAgainSQL = `
	WITH ` + siteDueSQL + `, site AS MATERIALIZED (
		SELECT t.site_id, due.time, due.class,
			CASE WHEN EXISTS (SELECT 1 FROM schedule c WHERE c.seq = t.lease_seq AND c.status = 's') THEN t.lease_seq ELSE 0 END AS lease
		FROM due JOIN sitestate t ON t.site_id = due.site_id
	)
	UPDATE /* store.LookAgain */ sitestate t SET next_due = site.time, next_class = site.class, lease_seq = site.lease
	FROM site WHERE t.site_id = site.site_id AND (t.next_due, t.next_class, t.lease_seq) IS DISTINCT FROM (site.time, site.class, site.lease)`

// Frontier holds the counts of remaining work that a progress line shows.
type Frontier struct {
	Due int64 // URLs that this run has not fetched yet
}

const frontierSQL = `
	SELECT /* store.Frontier */ count(*) FROM urlword w     -- urlword_next_index_time
	WHERE w.next_index_time <= $5 AND ` + workSQL

// Frontier counts the remaining work of a run whose threshold is due.
func (s *Store) Frontier(ctx context.Context, due int64, limits Limits) (f Frontier, err error) {
	err = s.InTx(ctx, "frontier", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, frontierSQL, limits.with(due)...).Scan(&f.Due)
	})
	return f, err
}

const recrawlSQL = `
	WITH page AS MATERIALIZED (
		SELECT url_id, url LIKE $1 AND next_index_time <> -1 AND next_index_time < $3 AS asked FROM urlword
		WHERE url_id > $2 ORDER BY url_id LIMIT 10000
	), made AS (
		UPDATE /* store.Recrawl */ urlword w SET next_index_time = -1
		FROM page WHERE w.url_id = page.url_id AND page.asked
		RETURNING w.site_id
	)
	SELECT coalesce((SELECT max(url_id) FROM page), 0), (SELECT count(*) FROM made),
		ARRAY(SELECT DISTINCT site_id FROM made ORDER BY site_id)`

// Recrawl makes the URLs that match a pattern due before all others and wakes a running crawl (--recrawl). It
// returns the number of URLs. It skips purged orphans. It works in portions, so that no other transaction
// waits for it long.
func (s *Store) Recrawl(ctx context.Context, pattern string) (total int64, err error) {
	for last := store.URLID(0); ; {
		var upTo store.URLID
		var n int64
		var sites []store.SiteID
		err := s.InTx(ctx, "recrawl", func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, recrawlSQL, pattern, last, neverDue).Scan(&upTo, &n, &sites)
		})
		if err != nil {
			return total, err
		}
		total += n
		if n > 0 {
			if err := s.WakeSites(ctx, sites, DueRecrawl); err != nil {
				return total, err
			}
		}
		if upTo == 0 {
			return total, s.notify(ctx, "work")
		}
		last = upTo
	}
}

// notify notifies the running crawl of an event.
func (s *Store) notify(ctx context.Context, what string) error {
	_, err := s.Pool.Exec(ctx, `SELECT /* store.notify */ pg_notify($1, $2)`, controlChannel, what)
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}
