package index

// contentChecks check that content rows exist where they are allowed and nowhere else: a 200 that is no clone
// has its content, a 301 or 302 only its link, a 406 its content when it has links. Of what left the index by
// T-06 or T-12 the content stays while urlstate.kept_since says so. One that T-13 or T-21 removed, and a purged orphan, have no row.
// Package merge checks the packed columns. See docs/reference/behavior.md, Recording a document.
var contentChecks = []rowCheck{
	{table: "urlwords", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s, status %s, has no row', w.url_id, w.url, w.status & 65535)
	FROM urlword w LEFT JOIN urlstate s USING (url_id) LEFT JOIN urlwords c USING (url_id)
	WHERE c.url_id IS NULL AND coalesce(s.withdrawn_by, '') NOT IN ('SR-09', 'T-13', 'T-21')
		AND (w.status & 65535 = 200 AND w.origin = 0 AND (w.deleted = 0 OR s.kept_since IS NOT NULL)
			OR w.status & 65535 = 406 AND s.kept_since IS NOT NULL OR w.status & 65535 IN (301, 302, 906))`},
	{table: "urlwords", do: "DELETE the row from urlwordsNN, NN = url_id % 16", sql: `
	SELECT /* store.Check */ format('a row of url %s, which has no row in urlword', c.url_id)
	FROM urlwords c LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "urlwords", do: doFetch, sql: `
	SELECT /* store.Check */ format('url %s %s: %s', c.url_id, c.url, v.what)
	FROM (
		SELECT c.url_id, w.url, c.deleted, w.deleted AS out, c.wordcount, c.totalcount, c.docsize, c.words IS NOT NULL AS content, c.hrefs,
			c.title, c.txt, c.keywords, c.description, c.lang, c.content_type, c.charset, w.status & 65535 AS b, w.origin, w.redir,
			coalesce(s.withdrawn_by, '') AS by, s.kept_since IS NOT NULL AS kept, c.title || c.txt || c.keywords || c.description || c.lang || c.charset AS texts
		FROM urlwords c JOIN urlword w USING (url_id) LEFT JOIN urlstate s USING (url_id)
	) c CROSS JOIN LATERAL (SELECT CASE
			WHEN origin <> 0 THEN 'clone' WHEN by IN ('SR-09', 'T-21') THEN 'orphan' WHEN by = 'T-13' THEN 'bad' WHEN b = 200 AND out = 1 AND NOT kept THEN 'old'
			WHEN b = 200 THEN 'document' WHEN b IN (301, 302) THEN 'redirect' WHEN b = 406 THEN 'gate' WHEN b = 906 THEN 'united' ELSE 'error' END) k (kind)
	CROSS JOIN LATERAL (VALUES
		(deleted <> out, format('deleted is %s, in urlword %s', (deleted = 1)::text, (out = 1)::text)),
		(wordcount < 0 OR totalcount < wordcount OR (wordcount = 0) <> (totalcount = 0) OR docsize < 0,
			format('wordcount %s, totalcount %s, docsize %s', wordcount, totalcount, docsize)),
		(kind = 'clone', 'a clone with a row of its own'),
		(kind = 'orphan', 'a purged orphan, or a removed page, with a row'),
		(kind = 'bad', 'gone for good, with a row'),
		(kind = 'old', 'content that is not kept'),
		(kind = 'error', format('a row with status %s', b)),
		(kind = 'document' AND NOT content, 'a document without its content'),
		(kind = 'redirect' AND (content OR wordcount <> 0 OR texts <> '' OR cardinality(hrefs) > 1),
			format('a redirect with content: %s, wordcount %s, links %s, texts %s', content::text, wordcount, hrefs::text, to_json(texts))),
		(kind = 'redirect' AND hrefs <> CASE WHEN redir <> 0 AND redir <> url_id THEN ARRAY[redir] ELSE '{}' END,
			format('hrefs %s, redir %s', hrefs::text, redir)),
		(kind = 'united' AND (content OR wordcount <> 0 OR texts <> '' OR redir <> ALL (hrefs)),
			format('united with %s, with content: %s, wordcount %s, links %s, texts %s', redir, content::text, wordcount, hrefs::text, to_json(texts))),
		(kind = 'gate' AND (NOT content AND (kept OR title || keywords || description <> '') OR hrefs = '{}' AND NOT kept OR wordcount <> 0 OR txt <> ''),
			format('the row of a 406 with content: %s, links %s, wordcount %s, txt %s', content::text, hrefs::text, wordcount, to_json(txt))),
		(char_length(title) > 128, format('title has %s characters, at most 128', char_length(title))),
		(char_length(txt) > 255, format('txt has %s characters, at most 255', char_length(txt))),
		(char_length(keywords) > 255, format('keywords has %s characters, at most 255', char_length(keywords))),
		(char_length(description) > 100, format('description has %s characters, at most 100', char_length(description))),
		(title ~ '[\t\n\r\f\v]|  ', format('white space of title is not collapsed: %s', to_json(title))),
		(txt ~ '[\t\n\r\f\v]|  ', format('white space of txt is not collapsed: %s', to_json(txt))),
		(keywords ~ '[\t\n\r\f\v]|  ', format('white space of keywords is not collapsed: %s', to_json(keywords))),
		(description ~ '[\t\n\r\f\v]|  ', format('white space of description is not collapsed: %s', to_json(description))),
		(lang !~ '^([a-z]{2})?$', format('lang %s', to_json(lang))),
		(content_type ~ '[\u0001-\u001f\u007f]' OR charset ~ '[\u0001-\u001f\u007f]',
			format('content_type %s, charset %s', to_json(content_type), to_json(charset)))
	) v (bad, what) WHERE v.bad`},

	{table: "docdates", do: "DELETE FROM docdates WHERE url_id names that row", sql: `
	SELECT /* store.Check */ format('of url %s, which has no row in urlword', d.url_id)
	FROM docdates d LEFT JOIN urlword w USING (url_id) WHERE w.url_id IS NULL`},
	{table: "docdates", do: "DELETE FROM docdates WHERE url_id names it, then index -X2", sql: `
	SELECT /* store.Check */ format('url %s %s: modified by a fetch before it was created', d.url_id, w.url)
	FROM docdates d JOIN urlword w USING (url_id) WHERE d.modified_from = 'fetch' AND d.modified < d.created`},
	{table: "docdates", do: doMend, sql: `
	SELECT /* store.Check */ format('url %s %s has no dates', w.url_id, w.url)
	FROM urlword w
	WHERE w.deleted = 0 AND w.status & 65535 = 200 AND w.origin = 0
		AND NOT EXISTS (SELECT 1 FROM docdates d WHERE d.url_id = w.url_id)
		AND NOT EXISTS (SELECT 1 FROM journal j WHERE j.url_id = w.url_id AND j.words IS NOT NULL)`},
	{table: "docdates", do: doMend, sql: `
	SELECT /* store.Check */ format('url %s %s has no length or type', w.url_id, w.url)
	FROM docdates d JOIN urlword w USING (url_id) JOIN docwords m USING (url_id)
	WHERE (d.length IS NULL OR d.lang IS NULL OR d.type IS NULL OR d.tag IS NULL) AND octet_length(m.words) > 2 AND w.deleted = 0 AND w.status & 65535 = 200 AND w.origin = 0
		AND NOT EXISTS (SELECT 1 FROM rt_urls r WHERE r.url_id = d.url_id)`},
}
