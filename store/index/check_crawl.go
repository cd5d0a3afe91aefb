package index

// indexChecks check that rows of journal and markdel are about registered URLs on their sites, and that each
// number is given once. Package merge checks the packed columns.
var indexChecks = []rowCheck{
	{table: "journal and markdel", do: doMend, sql: `
	SELECT /* store.Check */ format('%s: seq %s: url %s (no row in urlword)', f.name, f.seq, f.url_id)
	FROM (SELECT 'journal' AS name, seq, url_id FROM journal UNION ALL SELECT 'markdel', seq, url_id FROM markdel) f
		LEFT JOIN urlword w USING (url_id)
	WHERE w.url_id IS NULL`},
	{table: "journal and markdel", do: doMend, sql: `
	SELECT /* store.Check */ format('%s: seq %s: url %s %s on site %s, not %s', f.name, f.seq, w.url_id, w.url, w.site_id, f.site_id)
	FROM (SELECT 'journal' AS name, seq, url_id, site_id FROM journal UNION ALL SELECT 'markdel', seq, url_id, site_id FROM markdel) f
		JOIN urlword w USING (url_id)
	WHERE w.site_id <> f.site_id`},
	{table: "journal and markdel", do: "the merge cannot tell which is newer; fetch the URLs again", sql: `
	SELECT /* store.Check */ format('%s: seq %s: %s rows have this number', min(f.name), f.seq, count(*))
	FROM (SELECT 'journal' AS name, seq FROM journal UNION ALL SELECT 'markdel', seq FROM markdel) f
	GROUP BY f.seq HAVING count(*) > 1`},
	{table: "journal and markdel", do: "SELECT setval('journal_seq', ...) with the highest seq of journal, markdel and docwords", sql: `
	SELECT /* store.Check */ format('%s: seq %s of url %s: journal_seq is at %s', f.name, f.seq, f.url_id, s.last_value)
	FROM (SELECT 'journal' AS name, seq, url_id FROM journal UNION ALL SELECT 'markdel', seq, url_id FROM markdel
		UNION ALL SELECT 'docwords', seq, url_id FROM docwords) f, journal_seq s
	WHERE f.seq <= 0 OR f.seq > s.last_value`},
	{table: "journal and markdel", do: "fetch the URL again", sql: `
	SELECT /* store.Check */ format('%s: seq %s: schedule %s', f.name, f.seq, f.schedule_seq)
	FROM (SELECT 'journal' AS name, seq, schedule_seq FROM journal UNION ALL SELECT 'markdel', seq, schedule_seq FROM markdel) f
	WHERE f.schedule_seq <= 0`},
	{table: "journal and markdel", note: true, sql: `
	SELECT /* store.Check */ format('%s: seq %s: its run %s is not there', f.name, f.seq, f.run_id)
	FROM (SELECT 'journal' AS name, seq, run_id FROM journal UNION ALL SELECT 'markdel', seq, run_id FROM markdel) f
		LEFT JOIN reindexing r USING (run_id)
	WHERE r.run_id IS NULL`},
	{table: "journal", do: doFetch, sql: `
	SELECT /* store.Check */ format('seq %s: %s', j.seq, v.what)
	FROM journal j CROSS JOIN LATERAL (VALUES
		(j.redir <> 0 AND j.status NOT IN (301, 302, 906), format('status %s with redir %s', j.status, j.redir)),
		(j.words IS NOT NULL AND j.status <> 200, format('words of a %s', j.status))
	) v (bad, what) WHERE v.bad`},
	{table: "journal", do: doFetch, sql: `
	SELECT /* store.Check */ format('seq %s: status %s with redir %s, which is not there', j.seq, j.status, j.redir)
	FROM journal j LEFT JOIN urlword w ON w.url_id = j.redir WHERE j.redir <> 0 AND w.url_id IS NULL`},
	{table: "markdel", do: "this has no effect on the merge", sql: `
	SELECT /* store.Check */ format('url %s: reason "%s"', url_id, reason)
	FROM markdel WHERE reason !~ '^(T-[0-9]{2}[a-z]?|SR-09|X2)$'`},
	{table: "journal and markdel", do: "the next merge ignores such links; fetch the page again", sql: `
	SELECT /* store.Check */ format('%s: url %s: %s name %s', f.name, f.url_id, f.list,
		CASE WHEN l = f.url_id THEN 'itself' ELSE l || ', which is not there' END)
	FROM (SELECT 'journal' AS name, url_id, 'links_added' AS list, links_added AS links FROM journal
		UNION ALL SELECT 'journal', url_id, 'links_removed', links_removed FROM journal
		UNION ALL SELECT 'markdel', url_id, 'links', links FROM markdel) f
		CROSS JOIN LATERAL unnest(f.links) l LEFT JOIN urlword w ON w.url_id = l
	WHERE w.url_id IS NULL OR l = f.url_id`},
	{table: "journal and markdel", do: "fetch the page again", sql: `
	SELECT /* store.Check */ format('%s: url %s: %s %s do not ascend', f.name, f.url_id, f.list, f.links::text)
	FROM (SELECT 'journal' AS name, url_id, 'links_added' AS list, links_added AS links FROM journal
		UNION ALL SELECT 'journal', url_id, 'links_removed', links_removed FROM journal
		UNION ALL SELECT 'markdel', url_id, 'links', links FROM markdel) f
	WHERE f.links <> ARRAY(SELECT DISTINCT l FROM unnest(f.links) l ORDER BY l)`},
	{table: "docwords", do: doMend, sql: `
	SELECT /* store.Check */ format('a row of url %s, which has no row in urlword', d.url_id)
	FROM docwords d LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "docwords", do: doMend, sql: `
	SELECT /* store.Check */ format('url %s: a row without words and without waiting journal rows', d.url_id)
	FROM docwords d
	WHERE octet_length(d.words) <= 2
		AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.url_id = d.url_id AND j.words IS NOT NULL AND j.seq < d.seq)`},
	{table: "wordfile", do: doMend, sql: `
	SELECT /* store.Check */ format('word %s has %s rows, but no row in wordurl', f.word_id, count(*))
	FROM wordfile f LEFT JOIN wordurl w USING (word_id) WHERE w.word_id IS NULL GROUP BY f.word_id`},
	{table: "totals", do: doMend, sql: `
	SELECT /* store.Check */ format('documents %s, words %s, postings %s, positions %s, but the tables have %s, %s, %s and %s',
		t.documents, t.words, t.postings, t.positions, d.documents, w.words, w.postings, w.positions)
	FROM totals t,
		(SELECT count(*) AS documents FROM docwords WHERE octet_length(words) > 2) d,
		(SELECT count(*) FILTER (WHERE urlcount > 0) AS words, coalesce(sum(urlcount), 0) AS postings, coalesce(sum(totalcount), 0) AS positions FROM wordurl) w
	WHERE (t.documents, t.words, t.postings, t.positions) <> (d.documents, w.words, w.postings, w.positions)`},
	{table: "subsetdocs", do: "index -B builds the subsets again", sql: `
	WITH fits AS (
		SELECT /* store.Check */ t.subset_id, w.url_id, w.site_id
		FROM subsetstate t JOIN urlword w ON w.url LIKE t.mask JOIN sites s USING (site_id)
		WHERE t.problem = '' AND w.deleted = 0 AND w.status & 65535 = 200 AND w.origin = 0
			AND NOT (t.mask ~ '(^|[^\\])(\\\\)*%$' AND s.site LIKE t.mask)
	), listed AS (
		SELECT d.subset_id, x.url_id, d.site_id, d.block FROM subsetdocs d CROSS JOIN LATERAL unnest(d.docs) x (url_id)
	)
	SELECT format('subset %s: url %s is listed: %s, expected: %s', subset_id, url_id, (l.site_id IS NOT NULL)::text, (f.site_id IS NOT NULL)::text)
	FROM fits f FULL JOIN listed l USING (subset_id, url_id)
	WHERE (f.site_id IS NULL OR l.site_id IS NULL OR f.site_id <> l.site_id)
		AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.url_id = coalesce(f.url_id, l.url_id))
		AND NOT EXISTS (SELECT 1 FROM markdel m WHERE m.url_id = coalesce(f.url_id, l.url_id))`},
	{table: "rt_urls", do: DoRealtime, sql: `
	SELECT /* store.Check */ format('url %s: its journal row %s has no words or does not exist', r.url_id, r.seq)
	FROM rt_urls r LEFT JOIN journal j ON j.url_id = r.url_id AND j.seq = r.seq AND j.words IS NOT NULL
		LEFT JOIN markdel m ON m.url_id = r.url_id AND m.seq >= r.seq AND octet_length(r.words) <= 2
	WHERE j.url_id IS NULL AND m.url_id IS NULL`},
	{table: "wordurl1", do: DoRealtime, sql: `
	SELECT /* store.Check */ format('"%s": wordurl has no such word with id %s', r.word, r.word_id)
	FROM wordurl1 r LEFT JOIN wordurl w ON w.word_id = r.word_id AND w.word = r.word WHERE w.word_id IS NULL`},
}

// crawlChecks check that a site is written as http://host[:port]/ in lower case and has its state; that the
// open schedule that has a site holds it, and nothing else; that a later run issues again what a run left
// open; that a gate is closed exactly as long as site_hold says.
var crawlChecks = []rowCheck{
	{table: "sites", do: doByHand, sql: `
	SELECT /* store.Check */ format('site %s "%s" is not written as http://host[:port]/', site_id, site)
	FROM sites WHERE site <> lower(site) OR site !~ '^[a-z][a-z0-9+.-]*://[^/]*/$'`},
	{table: "sitestate", do: "INSERT INTO sitestate (site_id, host) for it", sql: `
	SELECT /* store.Check */ format('site %s %s has no row', s.site_id, s.site)
	FROM sites s LEFT JOIN sitestate t USING (site_id) WHERE t.site_id IS NULL`},
	{table: "sitestate", do: "DELETE FROM sitestate WHERE site_id names that row", sql: `
	SELECT /* store.Check */ format('site %s is not there', t.site_id)
	FROM sitestate t LEFT JOIN sites s USING (site_id) WHERE s.site_id IS NULL`},
	{table: "sitestate", do: "UPDATE sitestate SET host = ... for it", sql: `
	SELECT /* store.Check */ format('site %s %s: host "%s"', s.site_id, s.site, t.host)
	FROM sites s JOIN sitestate t USING (site_id)
	WHERE s.site ~ '^[a-z][a-z0-9+.-]*://[^/]*/$' AND t.host <> regexp_replace(split_part(s.site, '/', 3), ':[0-9]*$', '')`},
	{table: "sitestate", do: "the next crawl computes it again", sql: `
	SELECT /* store.Check */ format('site %s: next_due %s, but url %s is due at %s', t.site_id, t.next_due, f.url_id, f.next_index_time)
	FROM sitestate t CROSS JOIN LATERAL (
		SELECT w.url_id, w.next_index_time FROM urlword w
		WHERE w.site_id = t.site_id AND (w.referrer <> 0 OR EXISTS (SELECT 1 FROM urlstate s WHERE s.url_id = w.url_id))
		ORDER BY w.next_index_time, w.url_id LIMIT 1) f
	WHERE t.lease_seq = 0 AND t.next_due > f.next_index_time
		AND NOT EXISTS (SELECT 1 FROM reindexing WHERE kind = 'crawl' AND ended_at IS NULL)`},
	{table: "sitestate", do: "index (a crawl) frees it", sql: `
	SELECT /* store.Check */ format('site %s is held by schedule %s, which is %s', t.site_id, t.lease_seq,
		CASE WHEN c.seq IS NULL THEN 'not there' WHEN c.status <> 's' THEN 'closed' ELSE 'of sites ' || c.site_ids::text END)
	FROM sitestate t LEFT JOIN schedule c ON c.seq = t.lease_seq
	WHERE t.lease_seq <> 0 AND (c.seq IS NULL OR c.status <> 's' OR NOT t.site_id = ANY (c.site_ids))`},
	{table: "schedule", note: true, sql: `
	SELECT /* store.Check */ format('seq %s: its run %s is not there', c.seq, c.run_id)
	FROM schedule c LEFT JOIN reindexing r USING (run_id) WHERE r.run_id IS NULL`},
	{table: "schedule", do: "index (a crawl) issues it again", sql: `
	SELECT /* store.Check */ format('seq %s: of run %s is open, but run %s ended %s', c.seq, c.run_id, r.run_id, r.end_reason)
	FROM schedule c JOIN reindexing r ON r.kind = 'crawl' AND r.run_id >= c.run_id AND r.end_reason = 'complete'
	WHERE c.status = 's'`},
	{table: "schedule", do: "index (a crawl) issues it again", sql: `
	SELECT /* store.Check */ format('seq %s: is open, but site %s is held by %s', c.seq, x.site_id, coalesce(t.lease_seq, 0))
	FROM schedule c CROSS JOIN LATERAL unnest(c.site_ids) x (site_id) LEFT JOIN sitestate t USING (site_id)
	WHERE c.status = 's' AND coalesce(t.lease_seq, 0) <> c.seq`},
	{table: "schedule", do: "index (a crawl) issues it again", sql: `
	SELECT /* store.Check */ format('seq %s: url %s %s is on none of its sites', c.seq, x.url_id, coalesce(w.url, '(no row in urlword)'))
	FROM schedule c CROSS JOIN LATERAL unnest(c.url_ids) x (url_id) LEFT JOIN urlword w USING (url_id)
	WHERE c.status = 's' AND x.url_id <> 0 AND (w.url_id IS NULL OR NOT w.site_id = ANY (c.site_ids))`},
	{table: "schedule", do: "wait for the deadline of one of them", sql: `
	SELECT /* store.Check */ format('url %s is also in schedule %s', x.url_id, max(c.seq))
	FROM schedule c CROSS JOIN LATERAL unnest(c.url_ids) x (url_id)
	WHERE c.status = 's' AND x.url_id <> 0 GROUP BY x.url_id HAVING count(*) > 1`},
	{table: "reindexing", do: "the next run of that kind closes it", sql: `
	SELECT /* store.Check */ format('runs %s and %s, both of kind %s, are open', min(run_id), max(run_id), kind)
	FROM reindexing WHERE ended_at IS NULL AND kind IN ('crawl', 'merge') GROUP BY kind HAVING count(*) > 1`},
	{table: "site_hold", do: "index --release SITE ends it", sql: `
	SELECT /* store.Check */ format('site %s, run %s, url %s: at least one of them does not exist', h.site_id, h.run_id, h.url_id)
	FROM site_hold h LEFT JOIN sites s USING (site_id) LEFT JOIN urlword w USING (url_id)
	WHERE s.site_id IS NULL OR w.url_id IS NULL`},
	{table: "sitestate", do: "index --release SITE ends it", sql: `
	SELECT /* store.Check */ format('site %s: gate "%s", open hold: %s', t.site_id, t.gate, (h.site_id IS NOT NULL)::text)
	FROM sitestate t LEFT JOIN site_hold h ON h.site_id = t.site_id AND h.ended_at IS NULL
	WHERE (t.gate = 'h') <> (h.site_id IS NOT NULL)`},
	{table: "redirect_chains", do: "run the CREATE VIEW statement of its migration again", sql: `
	WITH RECURSIVE chain AS (
		SELECT /* store.Check */ w.url_id AS start, w.redir AS at, 1 AS step FROM urlword w WHERE w.redir <> 0 AND w.deleted = 0
		UNION ALL
		SELECT c.start, w.redir, c.step + 1 FROM chain c JOIN urlword w ON w.url_id = c.at WHERE w.redir <> 0 AND c.step <= 10
	)
	SELECT format('url %s redirects in a loop, but is not marked', c.start)
	FROM (SELECT DISTINCT start FROM chain WHERE step > 10) c LEFT JOIN redirect_chains r ON r.url_id = c.start
	WHERE r.looped IS NOT TRUE`},
}
