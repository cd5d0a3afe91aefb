package index

// Checks of single rows of urlword, urlkey and urlstate, and of the references between them.

// plainStatusSQL lists the statuses of urlword without a lost part. 304 is never stored; 900 to 902 are in
// crawl_history only.
const plainStatusSQL = `(b BETWEEN 100 AND 599 AND b <> 304 OR b BETWEEN 600 AND 606 OR b BETWEEN 700 AND 708 OR b BETWEEN 800 AND 806
	OR b BETWEEN 903 AND 906)`

// lostStatusSQL lists the errors by which a live document turns lost (T-07, T-09, T-11).
const lostStatusSQL = `(l BETWEEN 100 AND 599 AND l NOT IN (304, 200, 301, 302) OR l BETWEEN 600 AND 606 OR l BETWEEN 800 AND 806)`

var urlChecks = []rowCheck{
	{table: "urlkey", do: "DELETE FROM urlkey WHERE url_id = N removes the row", sql: `
	SELECT /* store.Check */ format('a key of url %s, which has no row in urlword', k.url_id)
	FROM urlkey k LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "urlkey", do: "delete the key that is not the MD5 of the URL", sql: `
	SELECT /* store.Check */ format('url %s has %s keys', url_id, count(*))
	FROM urlkey GROUP BY url_id HAVING count(*) > 1`},
	{table: "urlkey", do: "set its url_hash to decode(md5(url), 'hex'); otherwise the next crawl registers the URL twice", sql: `
	SELECT /* store.Check */ format('the key of url %s %s is not its hash', w.url_id, w.url)
	FROM urlkey k JOIN urlword w USING (url_id) WHERE k.url_hash <> decode(md5(w.url), 'hex')`},
	{table: "urlkey", do: "INSERT INTO urlkey SELECT decode(md5(url), 'hex'), url_id FROM urlword for it; otherwise the next crawl registers the URL twice", sql: `
	SELECT /* store.Check */ format('url %s %s has no key', w.url_id, w.url)
	FROM urlword w LEFT JOIN urlkey k USING (url_id) WHERE k.url_id IS NULL`},

	{table: "urlword", do: doByHand, sql: `
	SELECT /* store.Check */ format('url %s %s: its site %s is not there', w.url_id, w.url, w.site_id)
	FROM urlword w LEFT JOIN sites s USING (site_id) WHERE s.site_id IS NULL`},
	{table: "urlword", do: doByHand, sql: `
	SELECT /* store.Check */ format('url %s %s is not on its site %s', w.url_id, w.url, s.site)
	FROM urlword w JOIN sites s USING (site_id) WHERE NOT starts_with(w.url, s.site)`},
	{table: "urlword", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: %s', w.url_id, w.url, v.what)
	FROM (SELECT *, status & 65535 AS b, status >> 16 & 2047 AS l, status >> 27 & 15 AS n FROM urlword) w
	CROSS JOIN LATERAL (VALUES
		(status <> 0 AND status BETWEEN 0 AND 65535 AND NOT ` + plainStatusSQL + `, format('status %s is not a valid status of a URL', status)),
		(status < 0 OR status >= 65536 AND (b <> 200 OR n = 0 OR NOT ` + lostStatusSQL + `),
			format('status %s: base %s, lost %s, %s times', status, b, l, n)),
		(crc <> '' AND crc !~ '^[0-9a-f]{32}$', format('crc %s is no digest', to_json(crc))),
		(crc = '' AND deleted = 0 AND b = 200, 'a live document without crc'),
		(crc <> '' AND deleted = 0 AND (b IN (301, 302, 906) OR status = 0), format('status %s with a crc (T-05, T-15)', b)),
		(status <> 0 AND b NOT BETWEEN 700 AND 799 AND last_index_time <= 0, format('answered %s, but last_index_time is %s', b, last_index_time)),
		(next_index_time < -2, format('next_index_time %s', next_index_time)),
		(octet_length(url) > 2048 OR url ~ '[\u0001- \u007f]', format('%s bytes, at most 2048 of visible characters', octet_length(url))),
		(last_modified ~ '[\u0001-\u001f\u007f]' OR etag ~ '[\u0001-\u001f\u007f]', format('last_modified %s, etag %s', to_json(last_modified), to_json(etag))),
		(deleted = 0 AND origin <> 0 AND b <> 200, format('status %s with origin %s', b, origin)),
		((redir <> 0 AND b NOT IN (301, 302, 906) OR b = 906 AND redir IN (0, url_id)), format('status %s with redir %s', b, redir))
	) v (bad, what) WHERE v.bad`},
	{table: "urlword", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: its %s %s is not there', w.url_id, w.url, v.name, v.id)
	FROM urlword w CROSS JOIN LATERAL (VALUES ('referrer', w.referrer), ('original', w.origin)) v (name, id)
	LEFT JOIN urlword o ON o.url_id = v.id
	WHERE v.id <> 0 AND o.url_id IS NULL`},
	{table: "urlword", do: DoFollow, sql: `
	SELECT /* store.Check */ format('url %s %s: its target %s is not there', w.url_id, w.url, w.redir)
	FROM urlword w LEFT JOIN urlword t ON t.url_id = w.redir WHERE w.redir <> 0 AND t.url_id IS NULL`},
	{table: "urlword", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: its original %s is a clone (of %s)', w.url_id, w.url, w.origin, o.origin)
	FROM urlword w JOIN urlword o ON o.url_id = w.origin WHERE w.origin <> 0 AND o.origin <> 0`},
	{table: "urlword", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: its original %s is not a live document with the same content', w.url_id, w.url, w.origin)
	FROM urlword w JOIN urlword o ON o.url_id = w.origin
	WHERE w.origin <> 0 AND o.origin = 0 AND w.deleted = 0 AND w.status & 65535 = 200
		AND (o.deleted <> 0 OR o.status & 65535 <> 200 OR o.crc <> w.crc OR o.url_id >= w.url_id)`},

	{table: "urlstate", do: "DELETE FROM urlstate WHERE url_id = N removes the row", sql: `
	SELECT /* store.Check */ format('of url %s, which has no row in urlword', s.url_id)
	FROM urlstate s LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "tmpurl", do: doMend, sql: `
	SELECT /* store.Check */ format('of url %s, which has no row in urlword', s.url_id)
	FROM tmpurl s LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "urlrank", do: "index -K computes the ranks again", sql: `
	SELECT /* store.Check */ format('of url %s, which has no row in urlword', s.url_id)
	FROM urlrank s LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "urlstate", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: %s', w.url_id, w.url, v.what)
	FROM urlword w JOIN urlstate s USING (url_id) CROSS JOIN LATERAL (VALUES
		((s.error_class = '') <> (s.error_count = 0) OR s.error_count < 0, format('%s errors of class "%s"', s.error_count, s.error_class)),
		(s.attempts < 0 OR s.events < s.attempts OR (s.attempts > 0) <> (s.last_attempt IS NOT NULL),
			format('%s attempts, %s events, last_attempt set: %s', s.attempts, s.events, (s.last_attempt IS NOT NULL)::text))
	) v (bad, what) WHERE v.bad`},
	{table: "urlstate", do: "index checks its rules again when it is due", sql: `
	SELECT /* store.Check */ format('url %s %s: %s', w.url_id, w.url, v.what)
	FROM (SELECT w.url_id, w.url, w.deleted, w.status, w.crc, w.next_index_time, s.kept_since IS NOT NULL AS kept, coalesce(s.withdrawn_by, '') AS by
		FROM urlword w LEFT JOIN urlstate s USING (url_id)) w
	CROSS JOIN LATERAL (VALUES
		(kept AND (crc = '' OR NOT (status & 65535 = 406 OR status & 65535 = 200 AND by = 'T-12')),
			format('kept with status %s, withdrawn_by "%s", crc "%s"', status, by, crc)),
		((deleted = 1) <> (by <> ''), format('deleted is %s, withdrawn_by "%s"', (deleted = 1)::text, by)),
		(by = 'T-13' AND status NOT IN (404, 410), format('withdrawn by T-13 with status %s', status)),
		(by = 'SR-09' AND status NOT IN (200, 301, 302, 406, 906), format('an orphan was purged with status %s', status)),
		((by IN ('SR-09', 'T-21')) <> (next_index_time >= 4611686018427387904),
			format('next_index_time %s, withdrawn_by "%s": only a purged orphan, and what the operator removed, must never be due', next_index_time, by))
	) v (bad, what) WHERE v.bad`},
}

// cloneCheck checks that of the live documents with one content the one with the lowest url_id is the
// original.
var cloneCheck = rowCheck{table: "urlword", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: origin %s, but the first live document with its content is %s', url_id, url, origin, first)
	FROM (SELECT url_id, url, origin, min(url_id) OVER (PARTITION BY crc) AS first
		FROM urlword WHERE deleted = 0 AND status & 65535 = 200 AND crc <> '') g
	WHERE origin <> CASE WHEN url_id = first THEN 0 ELSE first END`}

// historyChecks yield notes: rows of crawl_history, schedule and reindexing may be deleted by hand
// (docs/schema.md 8), and HistoryKeep may change.
var historyChecks = []rowCheck{
	{table: "crawl_history", do: "DELETE FROM crawl_history WHERE url_id = N removes the row", sql: `
	SELECT /* store.Check */ DISTINCT format('a row of url %s, which has no row in urlword', h.url_id)
	FROM crawl_history h LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "crawl_history", note: true, sql: `
	SELECT /* store.Check */ format('url %s %s: its run %s is not there', h.url_id, w.url, h.run_id)
	FROM crawl_history h JOIN urlword w USING (url_id) LEFT JOIN reindexing r USING (run_id) WHERE r.run_id IS NULL`},
	{table: "crawl_history", note: true, sql: `
	WITH counted AS (
		SELECT /* store.Check */ w.url_id, w.url, coalesce(s.events, 0) AS events, coalesce(h.n, 0) AS n, coalesce(h.top, -1) AS top
		FROM urlword w LEFT JOIN urlstate s USING (url_id)
			LEFT JOIN (SELECT url_id, count(*) AS n, max(slot) AS top FROM crawl_history GROUP BY url_id) h USING (url_id)
	)
	SELECT format('url %s %s has %s rows of %s events', url_id, url, n, events) FROM counted
	WHERE n > events OR n = 0 AND events > 0
	UNION ALL
	SELECT format('url %s %s: slot %s, but the next free slot is %s', url_id, url, top, n) FROM counted
	WHERE top >= n AND n > 0
	UNION ALL
	SELECT format('HistoryKeep is %s for url %s %s, but other URLs have %s rows', n, url_id, url, (SELECT max(n) FROM counted)) FROM counted
	WHERE n BETWEEN 1 AND events - 1 AND n < (SELECT max(n) FROM counted)`},
	{table: "crawl_history", note: true, sql: `
	WITH rows AS (
		SELECT /* store.Check */ h.url_id, h.slot, h.rule, h.old_status, h.new_status, count(*) OVER u AS n, max(h.slot) OVER u AS top, s.events,
			(h.slot - s.events % (count(*) OVER u)::integer + 2 * (count(*) OVER u)::integer) % (count(*) OVER u)::integer AS age
		FROM crawl_history h JOIN urlstate s USING (url_id)
		WINDOW u AS (PARTITION BY h.url_id)
	), chain AS (
		SELECT *, lag(new_status) OVER a AS before, lag(rule) OVER a AS rule_before, row_number() OVER (PARTITION BY url_id ORDER BY age DESC) AS from_end
		FROM rows WHERE top = n - 1 AND n <= events
		WINDOW a AS (PARTITION BY url_id ORDER BY age)
	)
	SELECT format('url %s: slot %s, %s, starts with status %s after %s', url_id, slot, rule, old_status, coalesce(before, 0)) FROM chain
	WHERE (before IS NOT NULL OR events = n) AND old_status <> coalesce(before, 0) AND NOT (rule_before IN ('SR-09', 'T-21') AND old_status = 0)
	UNION ALL
	SELECT format('url %s %s: ends with status %s (%s), urlword has %s', w.url_id, w.url, c.new_status, c.rule, w.status)
	FROM chain c JOIN urlword w USING (url_id)
	WHERE c.from_end = 1 AND w.status <> c.new_status AND NOT (c.rule IN ('SR-09', 'T-21') AND w.deleted = 0 AND w.status = 0)`},
	{table: "crawl_history", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: ends with status 0 (), urlword has %s', w.url_id, w.url, w.status)
	FROM urlword w LEFT JOIN urlstate s USING (url_id)
	WHERE w.status <> 0 AND coalesce(s.events, 0) = 0`},
}
