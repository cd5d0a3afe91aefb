package crawl

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pgseek/pgseek/store"
)

// What is due, and in which order.
//
// A run's work is the URLs whose next_index_time is at most a threshold: the run's start, or 0 for a --respider run. Each
// belongs to a class, and the classes to groups; a batch holds URLs of one group only. The host with the lowest group goes
// first, and among equals the one that waited longest, so that a small site waits for no big one. sitestate.next_class and
// next_due are an index over urlword for that.
//
// Inside a group the order is: class; pages that change often and were not seen for 23 hours; priority; the longest due;
// url_id. Only the windowOf(batch) longest due URLs of a site are put in that order, so that a lease costs the same
// whatever is known: a page of high priority is preferred among those that are due about as long as it is.

// Values of next_index_time that are no times.
const (
	DueStart   = int64(0)  // a start URL
	DueRecrawl = int64(-1) // index --recrawl
	DueReached = int64(-2) // a link reached it in a --respider run
)

// Groups of URLs, as sitestate.next_class has them; an operator's wish and start URLs are one, and so are URLs that were
// never crawled and those that are new in this run.
const (
	groupAsked     = 0
	groupNew       = 1
	groupKnown     = 3
	groupWithdrawn = 4 // taken out by a rule, which is looked at again
	groupNothing   = 9
)

// Limits narrow a run to some URLs (-s, -t, -u, -M): kinds are and-ed, values of a kind or-ed. Nil means any.
type Limits struct {
	Statuses []int32  // extended status, of the last good answer or of the loss
	Tags     []int32  // urlword.tag
	URLs     []string // LIKE patterns of the URL
	Tmpurl   bool     // only the URLs of table tmpurl
}

// Any reports whether the limits let everything pass.
func (l Limits) Any() bool { return l.Statuses == nil && l.Tags == nil && l.URLs == nil && !l.Tmpurl }

// LimitsSQL is the condition of Limits without Tmpurl, on a row of urlword named w and the parameters $1 to $3.
const LimitsSQL = `
	($1::integer[] IS NULL OR (w.status & 65535) = ANY($1) AND w.status < 65536 OR (w.status >> 16 & 2047) = ANY($1) AND w.status >= 65536)
	AND ($2::integer[] IS NULL OR w.tag = ANY($2))
	AND ($3::text[] IS NULL OR w.url LIKE ANY($3))`

// workSQL is the condition of Limits, on a row of urlword named w and the parameters $1 to $4.
const workSQL = LimitsSQL + `
	AND (NOT $4 OR EXISTS (SELECT FROM tmpurl m WHERE m.url_id = w.url_id))`

// with are the parameters of a statement with workSQL.
func (l Limits) with(more ...any) []any {
	return append([]any{l.Statuses, l.Tags, l.URLs, l.Tmpurl}, more...)
}

// Hosts says which hosts may be asked just now (HostLoad).
type Hosts struct {
	Only   []string // nil = all
	Except []string
}

// except is never NULL: nothing differs from all of no hosts.
func (h Hosts) except() []string { return store.NotNil(h.Except) }

// openHostSQL is the condition of Hosts, on a row of sitestate named s and the parameters $1 and $2.
const openHostSQL = `($1::text[] IS NULL OR s.host = ANY($1)) AND s.host <> ALL($2)`

// pickHostSQL reads sites in the order of their turn until one may be taken. A host is not to be asked while one of its
// sites is held or pauses.
const pickHostSQL = `
	SELECT /* store.Lease */ s.host, s.next_class          -- sitestate_turn
	FROM sitestate s
	WHERE s.lease_seq = 0 AND s.next_class < 9 AND ` + openHostSQL + `
		AND NOT EXISTS (SELECT FROM sitestate o WHERE o.host = s.host AND (o.lease_seq <> 0 OR o.ready_at > now()))
	ORDER BY s.next_class, s.leased_at, s.site_id
	LIMIT 1`

// waitingHostsSQL tells of the hosts that have work and may not be asked just now.
const waitingHostsSQL = `
	SELECT /* store.Lease */ coalesce(extract(epoch FROM min(o.ready_at) FILTER (WHERE o.ready_at > now() AND ` + openHostSQL + `) - now()), 0)::float8,
		count(*) FILTER (WHERE NOT (` + openHostSQL + `)) > 0
	FROM sitestate s JOIN sitestate o ON o.host = s.host
	WHERE s.lease_seq = 0 AND s.next_class < 9`

// hostSitesSQL are the sites of a host that have work.
const hostSitesSQL = `
	SELECT site_id FROM sitestate                          -- sitestate_host
	WHERE host = $1 AND next_class < 9 AND lease_seq = 0`

const lockSitesSQL = `
	SELECT /* store.Lease */ site_id FROM (` + hostSitesSQL + ` ORDER BY site_id FOR UPDATE) s`

// lessUrgentSQL: the sites have nothing of this group within the limits. One that was woken after the group was chosen stays as
// urgent as its news.
const lessUrgentSQL = `
	UPDATE /* store.Lease */ sitestate SET next_class = $3
	WHERE site_id = ANY($1) AND next_class = $2`

// lessUrgent is the group after each.
var lessUrgent = map[int]int{groupAsked: groupNew, groupNew: groupKnown, groupKnown: groupWithdrawn, groupWithdrawn: groupNothing}

// windowOf is how many of a site's URLs are put in order for a batch.
func windowOf(batch int) int { return max(24, 2*batch) }

// candidateColumns are what chooseSQL asks of a row w of urlword.
const candidateColumns = `w.url_id, w.next_index_time, w.last_index_time, w.hops, w.referrer, w.origin`

// candidatesSQL reads the URLs of one group in the order of an index, no further than the window.
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

// What is due of a site s by a time, or because somebody asked for it. A comparison of rows can be answered by the site's own
// index alone, in its order: the planner is given no other way. IS NOT TRUE keeps it from two ranges, which are in no order.
const (
	dueByTime  = `(w.site_id, w.next_index_time) <= (s.site_id, $6::bigint) AND (w.next_index_time BETWEEN -1 AND 0) IS NOT TRUE`
	dueByOrder = `(w.site_id, w.next_index_time) >= (s.site_id, -1) AND (w.site_id, w.next_index_time) <= (s.site_id, 0)`
)

// rankSQL is the damped importance of a URL that w names by an expression: the logarithm of ten times its link rank, as
// ASPseek's search damps it, and of one that has no rank (new URLs, errors, redirects; all before the first ranks) of how
// many pages link to it. A clone is as important as its original, which has the ranks of both. Both begin near 0 and are about alike in the middle. The size of the stored list of pages
// stands for its length, so that no list is unpacked.
func rankSQL(id string) string {
	return `coalesce(
			(SELECT ln(greatest(10 * r.rank::float8, 1)) FROM urlrank r WHERE r.url_id = ` + id + `),
			(SELECT ln(1 + greatest(pg_column_size(c.referrers) - 20, 0) / 4.0::float8) FROM citation c WHERE c.url_id = ` + id + `))`
}

// chooseSQL orders the candidates of a group. Its parameters are those of workSQL, the host, the threshold, the window,
// the batch and whether shallow URLs go first (-o). The sub-selects look rows up one by one, whatever the planner believes.
func chooseSQL(candidates ...string) string {
	return `
	SELECT /* store.Lease */ u.url_id
	FROM (SELECT site_id FROM sitestate WHERE host = $5 AND next_class < 9 AND lease_seq = 0) s CROSS JOIN LATERAL (` + strings.Join(candidates, ` UNION ALL`) + `
	) u CROSS JOIN LATERAL (
		SELECT coalesce(` + rankSQL(`CASE WHEN u.origin <> 0 THEN u.origin ELSE u.url_id END`) + `, ` + rankSQL(`u.referrer`) + `, 0)
			+ CASE WHEN u.class = 3 THEN least(10, (extract(epoch FROM now())::float8 - u.last_index_time) / greatest(u.next_index_time - u.last_index_time, 1)) ELSE 0 END
			- CASE WHEN t.error_count > 0 THEN 1 ELSE 0 END AS priority,
			coalesce(t.pace = 1 AND (t.last_attempt IS NULL OR t.last_attempt < now() - interval '23 hours'), false) AS changes
		FROM (SELECT) one LEFT JOIN LATERAL (
			SELECT st.pace, st.error_count, st.last_attempt FROM urlstate st WHERE st.url_id = u.url_id LIMIT 1
		) t ON true OFFSET 0
	) p
	ORDER BY CASE WHEN $9 THEN u.hops END, u.class, p.changes DESC, p.priority DESC, u.next_index_time, u.url_id
	LIMIT $8`
}

// groupSQL chooses the URLs of a batch, by group. A class is what orders URLs within the group.
var groupSQL = map[int]string{
	groupAsked: chooseSQL(
		candidatesSQL(newRows, dueByOrder+` AND $6::bigint >= 0`, `w.next_index_time`),
		candidatesSQL(knownRows, dueByOrder+` AND $6::bigint >= 0`, `w.next_index_time`),
		candidatesSQL(withdrawnRows, dueByOrder+` AND $6::bigint >= 0`, `w.next_index_time`)),
	groupNew:       chooseSQL(candidatesSQL(newRows, dueByTime, `CASE WHEN w.next_index_time < $6 THEN 1 ELSE 2 END`)),
	groupKnown:     chooseSQL(candidatesSQL(knownRows, dueByTime, `3`)),
	groupWithdrawn: chooseSQL(candidatesSQL(withdrawnRows, dueByTime, `4`)),
}

// shallowSQL is candidatesSQL for -o: of each depth the URLs of one group, no further than the window. The depths that there are
// are found one after the other. kind is the group's in urlword_hops, which is the only index in this order.
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

// shallowGroupSQL is groupSQL for -o. What somebody asked for is not much.
var shallowGroupSQL = map[int]string{
	groupAsked:     groupSQL[groupAsked],
	groupNew:       chooseSQL(shallowSQL(`0`, `CASE WHEN w.next_index_time < $6 THEN 1 ELSE 2 END`)),
	groupKnown:     chooseSQL(shallowSQL(`1`, `3`)),
	groupWithdrawn: chooseSQL(shallowSQL(`2`, `4`)),
}

// choiceSQL chooses the URLs of a batch.
func choiceSQL(r *LeaseRequest, group int) string {
	if r.HopsFirst {
		return shallowGroupSQL[group]
	}
	return groupSQL[group]
}

// choice are the parameters of choiceSQL. With -o the window is one of each depth, and all that somebody asked for is looked at.
func choice(r *LeaseRequest, host string, group int) []any {
	window := new(int)
	*window = windowOf(r.Batch)
	if r.HopsFirst && group == groupAsked {
		window = nil
	}
	return r.Limits.with(host, r.Due, window, r.Batch, r.HopsFirst)
}

// waiting tells how long the next host pauses that has work (0 = none does), and whether a host has work that may not be
// asked at this time of day.
func waiting(ctx context.Context, tx querier, h Hosts) (pause time.Duration, closed bool, err error) {
	var seconds float64
	err = tx.QueryRow(ctx, waitingHostsSQL, h.Only, h.except()).Scan(&seconds, &closed)
	return time.Duration(seconds * float64(time.Second)), closed, err
}

// siteDueSQL reckons next_due and next_class of some sites anew from urlword, the truth, by its indexes. Its parameters are
// the sites, neverDue and the threshold.
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

// wakeSitesSQL stands after the lock: a lease that finds a site less urgent, and an acknowledgement that leaves it, have said so
// then, and the news comes on top.
const wakeSitesSQL = `
	UPDATE /* store.WakeSites */ sitestate
	SET next_due = LEAST(next_due, $2), next_class = LEAST(next_class, $3)
	WHERE site_id = ANY($1) AND (next_due > $2 OR next_class > $3)`

// WakeSites says that URLs of these sites are due now that were not: new ones, or with due DueRecrawl what an operator
// asked for. It waits for a lease or an acknowledgement that is just looking at one of them, so that neither overlooks the
// other's news. That a site's news is less urgent than said here is found out by its lease; news of which a process dies
// before it can say so is found when the run seems to be over.
func (s *Store) WakeSites(ctx context.Context, sites []store.SiteID, due int64) error {
	class := groupNew
	if due == DueRecrawl || due == DueStart {
		class = groupAsked
	}
	return s.InTx(ctx, "wake sites", func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(lockWokenSQL, sites)
		b.Queue(wakeSitesSQL, sites, due, class)
		return tx.SendBatch(ctx, &b).Close()
	})
}

// overlookedSQL finds sites with URLs of the run's work, if there are any. What is not due is not read.
const overlookedSQL = `
	SELECT /* store.Lease */ DISTINCT w.site_id
	FROM (
		SELECT w.site_id FROM urlword w                         -- urlword_next_index_time
		WHERE w.next_index_time <= $5 AND ` + workSQL + `
		LIMIT 1000
	) w JOIN sitestate s ON s.site_id = w.site_id
	ORDER BY w.site_id`

// lookAgainSQL lets some sites, which no schedule holds, say what urlword says.
const lookAgainSQL = `
	WITH ` + siteDueSQL + `
	UPDATE /* store.Lease */ sitestate t SET lease_seq = 0, next_due = due.time, next_class = due.class
	FROM due WHERE t.site_id = due.site_id`

// Frontier is what a progress line shows of the work that is left.
type Frontier struct {
	Due int64 // URLs that this run has still to fetch
}

const frontierSQL = `
	SELECT /* store.Frontier */ count(*) FROM urlword w     -- urlword_next_index_time
	WHERE w.next_index_time <= $5 AND ` + workSQL

// Frontier counts what is left of a run whose threshold is due.
func (s *Store) Frontier(ctx context.Context, due int64, limits Limits) (f Frontier, err error) {
	err = s.InTx(ctx, "frontier", func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, frontierSQL, limits.with(due)...).Scan(&f.Due)
	})
	return f, err
}

const recrawlSQL = `
	WITH page AS MATERIALIZED (
		SELECT url_id, url LIKE $1 AND next_index_time NOT IN (-1, $3) AS asked FROM urlword
		WHERE url_id > $2 ORDER BY url_id LIMIT 10000
	), made AS (
		UPDATE /* store.Recrawl */ urlword w SET next_index_time = -1
		FROM page WHERE w.url_id = page.url_id AND page.asked
		RETURNING w.site_id
	)
	SELECT coalesce((SELECT max(url_id) FROM page), 0), (SELECT count(*) FROM made),
		ARRAY(SELECT DISTINCT site_id FROM made ORDER BY site_id)`

// Recrawl makes the URLs like a pattern due before all others, also for a crawl that runs, which is woken (--recrawl). It
// returns how many it are. Purged orphans stay away. It goes in portions, so that nobody waits for it long.
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

// notify tells the running crawl that something happened.
func (s *Store) notify(ctx context.Context, what string) error {
	_, err := s.Pool.Exec(ctx, `SELECT /* store.notify */ pg_notify($1, $2)`, controlChannel, what)
	if err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}
