package storetest

import "github.com/pgseek/pgseek/store/posting"

// These take away a table's own guard, so that damage gets past it.
const (
	freeStatus = `ALTER TABLE urlword DROP CONSTRAINT urlword_status_check;`
	freeCRC    = `ALTER TABLE urlword DROP CONSTRAINT urlword_crc_check;`
	freeURL    = `ALTER TABLE urlword DROP CONSTRAINT urlword_url_check;`
	freeTitle  = `ALTER TABLE urlwords01 DROP CONSTRAINT urlwords01_title_check;`
	freeText   = `ALTER TABLE urlwords01 DROP CONSTRAINT urlwords01_txt_check;`
	freeKeys   = `ALTER TABLE urlwords01 DROP CONSTRAINT urlwords01_keywords_check;`
	freeAbout  = `ALTER TABLE urlwords01 DROP CONSTRAINT urlwords01_description_check;`
	freeInline = `ALTER TABLE wordurl DROP CONSTRAINT wordurl_urls_check;`
)

// damages are the ways of damaging the small database, by what they damage.
var damages = []damage{
	// The schema, keys and sites.
	{"an older schema", `DELETE FROM goose_db_version WHERE version_id > 103`, "schema version 103", nil},
	{"a URL without key", `DELETE FROM urlkey WHERE url_id = 3`, "urlkey: url 3 http://a.example/3 has no key", nil},
	{"a key without URL", `INSERT INTO urlkey VALUES (decode(md5('x'), 'hex'), 99)`, "urlkey: a key of url 99", nil},
	{"a second key", `INSERT INTO urlkey VALUES (decode(md5('x'), 'hex'), 3)`, "urlkey: a second key of url 3", nil},
	{"a key of another text", `UPDATE urlkey SET url_hash = decode(md5('x'), 'hex') WHERE url_id = 3`, "is not its hash", nil},
	{"a URL on another site", `UPDATE urlword SET site_id = 2 WHERE url_id = 10`, "is not on its site http://b.a.example:8080/", nil},
	{"a URL on no site", `UPDATE urlword SET site_id = 7 WHERE url_id = 10`, "its site 7 is not there", nil},
	{"a site written otherwise", `UPDATE sites SET site = 'http://A.example' WHERE site_id = 1`, `sites: site 1 "http://A.example"`, nil},
	{"a site without state", `DELETE FROM sitestate WHERE site_id = 1`, "sitestate: site 1 http://a.example/ has no row", nil},
	{"a state without site", `INSERT INTO sitestate (site_id, host) VALUES (5, 'x')`, "sitestate: site 5 is not there", nil},
	{"a site of another host", `UPDATE sitestate SET host = 'b.a.example:8080' WHERE site_id = 2`, `host "b.a.example:8080"`, nil},
	{"a next_due later than the truth", `UPDATE sitestate SET next_due = 501 WHERE site_id = 1`, "next_due 501, but url 16 http://a.example/16 is due at 500", nil},

	{"a sitemap on no site", `INSERT INTO sitemaps (site_id, url, named_in) VALUES (7, 'x', 'robots.txt')`, "sitemaps: site 7 is not there", nil},
	{"a sitemap that nothing names", `INSERT INTO sitemaps (sitemap_id, site_id, url) VALUES (1, 1, 'x')`, "sitemaps: what names sitemap 1 is not there", nil},
	{"a URL named by no sitemap", `INSERT INTO named_by VALUES ('sitemap', 9, 3)`, "named_by: sitemap 9 is not there", nil},
	{"a URL named by no archive", `INSERT INTO named_by VALUES ('archive', 99, 3)`, "named_by: archive 99 is not there", nil},
	{"no URL that is named", `INSERT INTO named_by VALUES ('listing', 1, 99)`, "named_by: ", nil},

	// Totals and subsets.
	{"a total that is not the tables'", `UPDATE totals SET postings = 9`, "Postings:9", nil},
	{"no totals", `DELETE FROM totals`, "totals: 0 rows", nil},
	{"a document that a subset lacks", `UPDATE subsetdocs SET docs = '{1}' WHERE subset_id = 2`, "url 3 http://a.example/3 is listed: false, expected: true", nil},
	{"a document that a subset should not have", `UPDATE subsetdocs SET docs = '{1,2,3}' WHERE subset_id = 2`, "url 2 http://a.example/2 is listed: true", nil},
	{"a document that a mask does not fit", `UPDATE subsetdocs SET docs = '{1,3,15}' WHERE subset_id = 2; DELETE FROM journal WHERE url_id = 15`, "its mask does not fit url 15", nil},
	{"documents out of order", `UPDATE subsetdocs SET docs = '{3,1}' WHERE subset_id = 2`, "[3 1] do not ascend", nil},
	{"a document of another block", `INSERT INTO subsetdocs VALUES (2, 1, 7, '{1}')`, "url 1 http://a.example/1 under site 1, block 7", nil},
	{"documents of a subset that is not", `INSERT INTO subsetdocs VALUES (9, 1, 0, '{1}')`, "subset 9 was not built", nil},
	{"a site that a subset lacks", `DELETE FROM subsetdocs WHERE subset_id = 1`, "subset 1 lacks site 1", nil},
	{"a site that a subset should not have", `INSERT INTO subsetdocs VALUES (2, 1, -1, NULL)`, "subset 2 has site 1 as a whole", nil},
	{"a subset on no site", `INSERT INTO subsetdocs VALUES (1, 77, -1, NULL)`, "subset 1: site 77 is not there", nil},

	// urlword and urlstate.
	{"a status that is no result", `UPDATE urlword SET status = 900 WHERE url_id = 10`, "status 900 is not a valid status of a URL", nil},
	{"a status of 304", `UPDATE urlword SET status = 304 WHERE url_id = 10`, "status 304 is not a valid status of a URL", nil},
	{"a negative status", freeStatus + `UPDATE urlword SET status = -5 WHERE url_id = 10`, "url 10 http://a.example/10: status -5", nil},
	{"a lost part on another base", `UPDATE urlword SET status = 301 | (404 << 16) | (1 << 27) WHERE url_id = 4`, "base 301, lost 404, 1 times", nil},
	{"a lost part without count", `UPDATE urlword SET status = 200 | (404 << 16) WHERE url_id = 3`, "base 200, lost 404, 0 times", nil},
	{"a count without lost part", `UPDATE urlword SET status = 200 | (1 << 27) WHERE url_id = 3`, "base 200, lost 0, 1 times", nil},
	{"lost without an answer", `UPDATE urlword SET status = 200 | (705 << 16) | (1 << 27) WHERE url_id = 3`, "lost 705", nil},
	{"a crc that is none", `UPDATE urlword SET crc = 'ABC' WHERE url_id = 10`, `crc "ABC" is no digest`, nil},
	{"a crc that is too long", freeCRC + `UPDATE urlword SET crc = repeat('a', 33) WHERE url_id = 10`, "is no digest", nil},
	{"a live document without crc", `UPDATE urlword SET crc = '' WHERE url_id = 3`, "a live document without crc", nil},
	{"a redirect with a crc", `UPDATE urlword SET crc = md5('x') WHERE url_id = 4`, "status 301 with a crc", nil},
	{"answered at no time", `UPDATE urlword SET last_index_time = 0 WHERE url_id = 10`, "answered 500, but last_index_time is 0", nil},
	{"a next time that means nothing", `UPDATE urlword SET next_index_time = -3 WHERE url_id = 10`, "next_index_time -3", nil},
	{"a referrer that is not there", `UPDATE urlword SET referrer = 99 WHERE url_id = 10`, "its referrer 99 is not there", nil},
	{"a rank of nothing", `INSERT INTO urlrank VALUES (99, 1)`, "urlrank: url 99", nil},
	{"tmpurl of nothing", `INSERT INTO tmpurl VALUES (99, 1)`, "tmpurl: url 99", nil},
	{"state of nothing", `INSERT INTO urlstate (url_id) VALUES (99)`, "urlstate: url 99", nil},
	{"errors of no class", `UPDATE urlstate SET error_class = '' WHERE url_id = 10`, `1 errors of class ""`, nil},
	{"fewer events than attempts", `UPDATE urlstate SET attempts = 9 WHERE url_id = 10`, "9 attempts, 1 events", nil},
	{"attempts at no time", `UPDATE urlstate SET last_attempt = NULL WHERE url_id = 10`, "last_attempt set: false", nil},
	{"deleted by no rule", `UPDATE urlstate SET withdrawn_by = '' WHERE url_id = 6`, `deleted is true, withdrawn_by ""`, nil},
	{"deleted without state", `DELETE FROM urlstate WHERE url_id = 6`, `deleted is true, withdrawn_by ""`, nil},
	{"a rule that did not delete", `UPDATE urlstate SET withdrawn_by = 'T-12' WHERE url_id = 10`, `deleted is false, withdrawn_by "T-12"`, nil},
	{"T-13 with another status", `UPDATE urlword SET status = 500 WHERE url_id = 7`, "withdrawn by T-13 with status 500", nil},
	{"a lost purged orphan", `UPDATE urlword SET status = 200 | (404 << 16) | (1 << 27) WHERE url_id = 8`, "an orphan was purged with status", nil},
	{"a purged orphan that is due", `UPDATE urlword SET next_index_time = 1000 WHERE url_id = 8`, "a purged orphan and what the operator removed, and they alone, are never due", nil},
	{"never due without cause", `UPDATE urlword SET next_index_time = 4611686018427387904 WHERE url_id = 10`, "a purged orphan and what the operator removed, and they alone, are never due", nil},

	// crawl_history.
	{"history of nothing", `INSERT INTO crawl_history (url_id, slot, run_id, rule, result, old_status, new_status) VALUES (99, 0, 1, 'T-01', 200, 0, 200)`, "crawl_history: a row of url 99", nil},
	{"history of no run", `UPDATE crawl_history SET run_id = 77 WHERE url_id = 10`, "its run 77 is not there", nil},
	{"more rows than events", `UPDATE urlstate SET attempts = 1, events = 1 WHERE url_id = 6`, "has 2 rows of 1 events", nil},
	{"no rows", `DELETE FROM crawl_history WHERE url_id = 10`, "has 0 rows of 1 events", nil},
	{"a slot above HistoryKeep", `UPDATE crawl_history SET slot = 3 WHERE url_id = 1 AND slot = 2`, "slot 3, but the next free slot is 2", nil},
	{"another HistoryKeep", `DELETE FROM crawl_history WHERE url_id = 1 AND slot = 2`, "HistoryKeep is 2 for url 1", nil},
	{"a broken chain", `UPDATE crawl_history SET old_status = 500 WHERE url_id = 1 AND slot = 1`, "slot 1, T-02, starts with status 500 after 200", nil},
	{"a chain that begins in the middle", `UPDATE crawl_history SET old_status = 200 WHERE url_id = 10`, "slot 0, T-08, starts with status 200 after 0", nil},
	{"a chain that ends elsewhere", `UPDATE urlword SET status = 503 WHERE url_id = 10`, "ends with status 500 (T-08), urlword has 503", nil},
	{"a status without history", `UPDATE urlword SET status = 700 WHERE url_id = 17`, "ends with status 0 (), urlword has 700", nil},

	// Texts.
	{"a URL that is too long", freeURL + `UPDATE urlword SET url = 'http://a.example/' || repeat('a', 2048) WHERE url_id = 10`, "2065 bytes, at most 2048", nil},
	{"a URL with a blank", `UPDATE urlword SET url = 'http://a.example/a b' WHERE url_id = 10`, "of visible characters", nil},
	{"a header over two lines", `UPDATE urlword SET etag = E'"a"\nb' WHERE url_id = 10`, `etag "\"a\"\nb"`, nil},
	{"a title that is too long", freeTitle + `UPDATE urlwords01 SET title = repeat('ä', 129) WHERE url_id = 1`, "title has 129 characters", nil},
	{"a txt that is too long", freeText + `UPDATE urlwords01 SET txt = repeat('ä', 256) WHERE url_id = 1`, "txt has 256 characters", nil},
	{"keywords that are too long", freeKeys + `UPDATE urlwords01 SET keywords = repeat('ä', 256) WHERE url_id = 1`, "keywords has 256 characters", nil},
	{"a description that is too long", freeAbout + `UPDATE urlwords01 SET description = repeat('ä', 101) WHERE url_id = 1`, "description has 101 characters", nil},
	{"a title over two lines", `UPDATE urlwords01 SET title = E'a\nb' WHERE url_id = 1`, "white space of title is not collapsed", nil},
	{"a language that is none", `UPDATE urlwords01 SET lang = 'E' WHERE url_id = 1`, `lang "E"`, nil},
	{"a type over two lines", `UPDATE urlwords01 SET content_type = E'text/html\r' WHERE url_id = 1`, "content_type", nil},

	// Content rows.
	{"a document without row", `DELETE FROM urlwords03 WHERE url_id = 3`, "urlwords: url 3 http://a.example/3, status 200, has no row", nil},
	{"a redirect without row", `DELETE FROM urlwords04 WHERE url_id = 4`, "status 301, has no row", nil},
	{"a row without URL", `INSERT INTO urlwords03 (url_id) VALUES (99)`, "urlwords: a row of url 99", nil},
	{"deleted in one table only", `UPDATE urlwords03 SET deleted = 1 WHERE url_id = 3`, "deleted is true, in urlword false", nil},
	{"counts that contradict", `UPDATE urlwords03 SET totalcount = 1 WHERE url_id = 3`, "wordcount 2, totalcount 1", nil},
	{"content that is cut", `UPDATE urlwords03 SET words = substr(words, 1, 20) WHERE url_id = 3`, "urlwords: url 3 http://a.example/3: words:", nil},
	{"content of another length", `UPDATE urlwords03 SET words = set_byte(words, 0, 7) WHERE url_id = 3`, "urlwords: url 3 http://a.example/3: words:", nil},
	{"a clone with a row", `INSERT INTO urlwords02 (url_id, words) VALUES (2, '\xffffffff')`, "a clone with a row of its own", nil},
	{"content after T-13", `INSERT INTO urlwords07 (url_id, deleted, words) VALUES (7, 1, '\xffffffff')`, "gone for good, with a row", nil},
	{"kept without content", `UPDATE urlword SET origin = 0 WHERE url_id = 6`, "status 200, has no row", nil},
	{"content that is not kept", `WITH x AS (UPDATE urlstate SET kept_since = NULL WHERE url_id = 6), y AS (UPDATE urlword SET origin = 0 WHERE url_id = 6)
		INSERT INTO urlwords06 (url_id, deleted, words) VALUES (6, 1, '\xffffffff')`, "content that is not kept", nil},
	{"a live document that is kept", `UPDATE urlstate SET kept_since = now() WHERE url_id = 1`, `kept with status 200, withdrawn_by ""`, nil},
	{"a purged orphan with a row", `INSERT INTO urlwords08 (url_id, deleted, words) VALUES (8, 1, '\xffffffff')`, "a purged orphan with a row", nil},
	{"a document without content", `UPDATE urlwords03 SET words = NULL WHERE url_id = 3`, "a document without its content", nil},
	{"a redirect with content", `UPDATE urlwords04 SET words = '\xffffffff' WHERE url_id = 4`, "a redirect with content: true", nil},
	{"a redirect with texts", `UPDATE urlwords04 SET title = 'x' WHERE url_id = 4`, `texts "x"`, nil},
	{"a redirect that links elsewhere", `UPDATE urlwords04 SET hrefs = '{3}' WHERE url_id = 4`, "hrefs [3], redir 1", nil},
	{"a 406 without links", `UPDATE urlwords05 SET hrefs = '{}' WHERE url_id = 5`, "the row of a 406 with content: true, links []", nil},
	{"a 406 with words", `UPDATE urlwords05 SET wordcount = 1, totalcount = 1 WHERE url_id = 5`, "wordcount 1", nil},
	{"an error with a row", `INSERT INTO urlwords10 (url_id, words) VALUES (10, '\xffffffff')`, "a row with status 500", nil},

	// Clones, redirects, dates.
	{"an original that is not there", `UPDATE urlword SET origin = 99 WHERE url_id = 2`, "its original 99 is not there", nil},
	{"a clone of itself", `UPDATE urlword SET origin = 2 WHERE url_id = 2`, "its original 2 is a clone", nil},
	{"a clone of a clone", `UPDATE urlword SET origin = 2 WHERE url_id = 6`, "its original 2 is a clone (of 1)", nil},
	{"a clone of other content", `UPDATE urlword SET crc = md5('x') WHERE url_id = 2`, "its original 1 is not a live document with the same content", nil},
	{"a clone of what is out", `UPDATE urlword SET deleted = 1 WHERE url_id = 1`, "its original 1 is not a live document with the same content", nil},
	{"two originals", `UPDATE urlword SET origin = 0 WHERE url_id = 2`, "origin 0, but the first live document with its content is 1", nil},
	{"an original that is not the first", `UPDATE urlword SET origin = CASE url_id WHEN 1 THEN 2 ELSE 0 END WHERE url_id IN (1, 2)`, "origin 2, but the first live document with its content is 1", nil},
	{"a lost clone of another's content", `UPDATE urlword SET crc = md5('root') WHERE url_id = 3`, "origin 0, but the first live document with its content is 1", nil},
	{"an error with an original", `UPDATE urlword SET origin = 1 WHERE url_id = 10`, "status 500 with origin 1", nil},
	{"a target that is not there", `UPDATE urlword SET redir = 99 WHERE url_id = 4`, "its target 99 is not there", nil},
	{"an error that redirects", `UPDATE urlword SET redir = 1 WHERE url_id = 10`, "status 500 with redir 1", nil},
	{"a circle that is not marked", `ALTER VIEW redirect_chains RENAME TO was; CREATE VIEW redirect_chains AS SELECT url_id, false AS looped FROM was`, "url 11 http://a.example/11 redirects in a loop, but is not marked", nil},
	{"dates of nothing", `UPDATE docdates SET url_id = 99 WHERE url_id = 3`, "docdates: url 99", nil},
	{"a document without dates", `DELETE FROM docdates WHERE url_id = 3`, "url 3 http://a.example/3 has no dates", nil},
	{"another language", `UPDATE docdates SET lang = 'xx' WHERE url_id = 3`, "url 3 http://a.example/3: its language, type and tag are not", nil},
	{"a date that no rule found", `UPDATE docdates SET modified_from = 'rule', unruled = modified, unruled_from = 'fetch' WHERE url_id = 3`, "its date is not that of urlstate.dated", nil},
	{"modified before it was created", `UPDATE docdates SET modified = created - interval '1 day' WHERE url_id = 3`, "modified by a fetch before it was created", nil},

	// Links.
	{"links that do not ascend", `UPDATE urlwords03 SET hrefs = '{5,1}' WHERE url_id = 3`, "hrefs [5 1] do not ascend", nil},
	{"a link twice", `UPDATE urlwords03 SET hrefs = '{1,1}' WHERE url_id = 3`, "hrefs [1 1] do not ascend", nil},
	{"a link to itself", `UPDATE urlwords03 SET hrefs = '{1,3}' WHERE url_id = 3`, "hrefs name itself", nil},
	{"a link to nothing", `UPDATE urlwords03 SET hrefs = '{1,99}' WHERE url_id = 3`, "hrefs name 99, which is not there", nil},
	{"a link that is not cited", `UPDATE citation SET referrers = '{4,5,14}' WHERE url_id = 1`, "citation: the row of url 1 http://a.example/1 lacks url 3", nil},
	{"a citation that is no link", `UPDATE citation SET referrers = '{1,4}' WHERE url_id = 2`, "citation: the row of url 2 http://a.example/2 has url 4", nil},
	{"a citation of a page that is out", `UPDATE citation SET referrers = '{3,4,5,7,14}' WHERE url_id = 1`, "citation: the row of url 1 http://a.example/1 has url 7", nil},
	{"a new link that no row names", `UPDATE journal SET links_added = '{}' WHERE url_id = 13`, "lacks url 13", nil},
	{"an old link that no row names", `UPDATE journal SET links_removed = '{}' WHERE url_id = 13; UPDATE markdel SET links = '{}' WHERE url_id = 13`, "citation: the row of url 3 http://a.example/3 has url 13", nil},
	{"a link of what went that no mark names", `UPDATE markdel SET links = '{}' WHERE url_id = 14`, "citation: the row of url 1 http://a.example/1 has url 14", nil},
	{"referrers that do not ascend", `UPDATE citation SET referrers = '{5,4,3,14}' WHERE url_id = 1`, "referrers [5 4 3 14] do not ascend", nil},
	{"no referrers", `UPDATE citation SET referrers = '{}' WHERE url_id = 2`, "citation: url 2 http://a.example/2: no referrers", nil},
	{"citation of nothing", `UPDATE citation SET url_id = 99 WHERE url_id = 2`, "citation: url 99", nil},
	{"a label that is missing", `DELETE FROM wordsite WHERE word = 'a'`, `wordsite: "a" lacks site 1`, nil},
	{"a label in another place", `UPDATE wordsite SET sites = ARRAY[(1 << 29) | 1] WHERE word = 'a'`, `wordsite: "a": site 1 with places 00100000, want 01000000`, nil},
	{"a label of a site that has none", `UPDATE wordsite SET sites = sites || ((1 << 30) | 2) WHERE word = 'a'`, `wordsite: "a": site 2`, nil},
	{"a site twice", `UPDATE wordsite SET sites = sites || sites WHERE word = 'a'`, `wordsite: "a": site 1 after site 1`, nil},

	// The inverted index.
	{"a blob that is cut", `UPDATE wordurl SET urls = substr(urls, 1, 20) WHERE word = 'cat'`, `wordurl: "cat": corrupt`, nil},
	{"a blob of another length", `UPDATE wordurl SET urls = urls || '\x00' WHERE word = 'cat'`, `wordurl: "cat": corrupt`, nil},
	{"URLs that do not ascend", `UPDATE wordurl SET urls = $1 WHERE word = 'cat'`, `wordurl: "cat": corrupt`, []any{swapped()}},
	{"positions that do not ascend", `UPDATE wordurl SET urls = $1 WHERE word = 'cat'`, "positions do not ascend", []any{entries(at(root, 7, 1), at(lost, 1), at(purged, 2))}},
	{"a removal in wordurl", `UPDATE wordurl SET urls = $1 WHERE word = 'cat'`, "removal in a base", []any{entries(at(root, 1, 7), at(lost), at(purged, 2))}},
	{"a blob inline that is too long", freeInline + `UPDATE wordurl SET urls = decode(repeat('00', 1001), 'hex') WHERE word = 'cat'`, `wordurl: "cat": 1001 bytes`, nil},
	{"a word in both places", `UPDATE wordurl SET urls = (SELECT urls FROM wordurl WHERE word = 'dog') WHERE word = 'the'`, `wordurl: "the": 28 bytes and 3 rows of wordfile`, nil},
	{"another urlcount", `UPDATE wordurl SET urlcount = 4 WHERE word = 'cat'`, "urlcount 4, totalcount 4, but 3 postings with 4 positions", nil},
	{"another totalcount", `UPDATE wordurl SET totalcount = 4 WHERE word = 'the'`, "urlcount 3, totalcount 4, but 3 postings with 3 positions", nil},
	{"a posting of nothing", `UPDATE wordurl SET urls = $1, urlcount = 4, totalcount = 5 WHERE word = 'cat'`, `wordurl: "cat": a posting of url 99`, []any{entries(at(root, 1, 7), at(lost, 1), at(purged, 2), at(99, 1))}},
	{"a posting under another site", `UPDATE wordurl SET urls = $1 WHERE word = 'cat'`, "under site 1, not 2", []any{entries(at(root, 1, 7), at(lost, 1), at(unknown, 2))}},
	{"a row of wordfile that is cut", `UPDATE wordfile SET urls = substr(urls, 1, 20) WHERE level = 0`, "wordfile: word 3, level 0, seq 6, from (1, 4): corrupt", nil},
	{"a removal in the base", `UPDATE wordfile SET urls = $1, totalcount = 0, urlcount = 0 WHERE level = 2 AND first_url = 4`, "removal in a base", []any{entries(at(moved))}},
	{"counts of a row of wordfile", `UPDATE wordfile SET urlcount = 2 WHERE level = 0`, "urlcount 2, totalcount 1, but 1 postings with 1 positions", nil},
	{"the beginning of a row of wordfile", `UPDATE wordfile SET first_url = 2 WHERE level = 0`, "begins with {1 4}", nil},
	{"rows of wordfile that overlap", `UPDATE wordfile SET urls = $1, urlcount = 2, totalcount = 2 WHERE level = 2 AND first_url = 4`, "of the row before", []any{entries(at(lost, 0), at(moved, 0))}},
	{"a row of wordfile of no word", `UPDATE wordfile SET word_id = 77 WHERE level = 0`, "word 77, level 0, seq 6, from (1, 4): the word is not there", nil},
	{"a row of wordfile that is too large", `INSERT INTO wordfile VALUES (3, 1, 1, 1, 9, 9, 120006, $1)`, "at most 262144", []any{large()}},

	// docwords and what waits.
	{"docwords of nothing", `UPDATE docwords SET url_id = 99 WHERE url_id = 3`, "docwords: url 99", nil},
	{"docwords that are cut", `UPDATE docwords SET words = substr(words, 1, 3) WHERE url_id = 3`, "docwords: url 3 http://a.example/3: corrupt", nil},
	{"docwords of the future", `UPDATE docwords SET seq = 101 WHERE url_id = 3`, "seq 101, journal_seq is at 100", nil},
	{"a word that docwords have not", `UPDATE docwords SET words = $1 WHERE url_id = 3`, "does not have word 3, the index has it 1 times", []any{docwords(posting.DocWord{ID: cat, Count: 1})}},
	{"a word that docwords have too much", `UPDATE docwords SET words = $1 WHERE url_id = 3`, "has word 2 1 times, the index does not have it", []any{docwords(posting.DocWord{ID: cat, Count: 1}, posting.DocWord{ID: dog, Count: 1}, posting.DocWord{ID: the, Count: 1})}},
	{"another count in docwords", `UPDATE docwords SET words = $1 WHERE url_id = 3`, "says word 1 5 times, the index has word 1 1 times", []any{docwords(posting.DocWord{ID: cat, Count: 5}, posting.DocWord{ID: the, Count: 1})}},
	{"another fingerprint in docwords", `UPDATE docwords SET words = set_byte(words, octet_length(words) - 1, 99) WHERE url_id = 3`, "says fingerprint 63", nil},
	{"a fingerprint of another block", `UPDATE docwords SET words = set_byte(words, octet_length(words) - 9, 1) WHERE url_id = 3`, "of block 1, the index has 0000000000000000", nil},
	{"fingerprints that are cut", `UPDATE docwords SET words = substr(words, 1, octet_length(words) - 1) WHERE url_id = 3`, "docwords: url 3 http://a.example/3: corrupt", nil},
	{
		"a posting at another position", `UPDATE wordurl SET urls = $1 WHERE word = 'cat'`, "docwords: url 3 http://a.example/3: says fingerprint",
		[]any{entries(at(root, 1, 7), at(lost, 2), at(purged, 2))},
	},
	{"a document without docwords", `DELETE FROM docwords WHERE url_id = 3`, "docwords: url 3 http://a.example/3 has no row, but the index has 2 words for it", nil},
	{"docwords that await nothing", `INSERT INTO docwords VALUES (10, 9, $1)`, "a row without words and without waiting journal rows", []any{docwords()}},
	{"another wordcount", `UPDATE urlwords03 SET wordcount = 1 WHERE url_id = 3`, "wordcount 1, totalcount 2, but 2 words with 2 positions by the index", nil},
	{"another totalcount of a document", `UPDATE urlwords03 SET totalcount = 3 WHERE url_id = 3`, "wordcount 2, totalcount 3, but 2 words with 2 positions by the index", nil},
	{"another version waits", `UPDATE urlwords13 SET wordcount = 3 WHERE url_id = 13`, "wordcount 3, totalcount 3, but 2 words with 3 positions by the newest journal row", nil},
	{"a version that was dropped", `DELETE FROM journal WHERE url_id = 13`, "wordcount 2, totalcount 3, but 0 words with 0 positions by its mark", nil},
	{"a mark after the version", `UPDATE markdel SET seq = 55 WHERE url_id = 13`, "but 0 words with 0 positions by its mark", nil},
	{"a mark that was dropped", `DELETE FROM markdel WHERE url_id = 14`, "status 404, deleted false, origin 0, but 1 words by the index", nil},
	{"a version of what is no document", `INSERT INTO journal (seq, run_id, url_id, site_id, status, words) VALUES (60, 1, 10, 1, 200, $1)`, "status 500, deleted false, origin 0, but 1 words by the newest journal row", []any{version(word(cat, 1))}},
	{"postings of what was taken out", `UPDATE urlword SET deleted = 1 WHERE url_id = 3`, "status 200, deleted true, origin 0, but 2 words by the index", nil},
	{"a journal row of nothing", `UPDATE journal SET url_id = 99 WHERE url_id = 13`, "journal: seq 52: url 99", nil},
	{"a journal row on another site", `UPDATE journal SET site_id = 2 WHERE url_id = 13`, "http://a.example/13 on site 2, not 1", nil},
	{"a journal row of no run", `UPDATE journal SET run_id = 77 WHERE url_id = 13`, "journal: seq 52: its run 77 is not there", nil},
	{"a number twice", `UPDATE markdel SET seq = 54 WHERE url_id = 14`, "markdel: seq 54: that number has journal: seq 54, too", nil},
	{"a number that was not given", `UPDATE journal SET seq = 101 WHERE url_id = 13`, "journal: seq 101: journal_seq is at 100", nil},
	{"journal words that are cut", `UPDATE journal SET words = substr(words, 1, 6) WHERE url_id = 13`, "journal: seq 52, url 13", nil},
	{"journal words that are altered", `UPDATE journal SET words = set_byte(words, 6, 0) WHERE url_id = 13`, "journal: seq 52, url 13", nil},
	{"words of a redirect", `UPDATE journal SET status = 301 WHERE url_id = 13`, "words of a 301", nil},
	{"a document that redirects", `UPDATE journal SET redir = 1 WHERE url_id = 13`, "journal: seq 52: status 200 with redir 1", nil},
	{"journal links that do not ascend", `UPDATE journal SET links_added = '{3,1}' WHERE url_id = 13`, "links_added [3 1] do not ascend", nil},
	{"journal links to nothing", `UPDATE journal SET links_removed = '{99}' WHERE url_id = 13`, "links_removed name 99", nil},
	{"a mark of nothing", `UPDATE markdel SET url_id = 99 WHERE url_id = 14`, "markdel: seq 53: url 99", nil},
	{"a mark without rule", `UPDATE markdel SET reason = 'x' WHERE url_id = 14`, `reason "x"`, nil},
	{"mark links to nothing", `UPDATE markdel SET links = '{1,99}' WHERE url_id = 14`, "markdel: url 14 http://a.example/14: links name 99", nil},

	// The real-time index.
	{"a real-time blob that is cut", `UPDATE wordurl1 SET urls = substr(urls, 1, 10) WHERE word = 'cat'`, `wordurl1: "cat": corrupt`, nil},
	{"real-time counts", `UPDATE wordurl1 SET totalcount = 2 WHERE word = 'cat'`, `wordurl1: "cat": urlcount 1, totalcount 2`, nil},
	{"a real-time word with another id", `UPDATE wordurl1 SET word_id = 2 WHERE word = 'cat'`, `wordurl1: "cat": wordurl has no such word with id 2`, nil},
	{"a real-time document that is not named", `DELETE FROM rt_urls`, "wordurl1: url 15 http://a.example/15 has words, but no row in rt_urls", nil},
	{"a real-time document without words", `DELETE FROM wordurl1`, "wordurl1: url 15 http://a.example/15: its 0 words do not match journal row 54 with 2 words", nil},
	{"other real-time positions", `UPDATE wordurl1 SET urls = $1 WHERE word = 'cat'`, "its 2 words do not match journal row 54 with 2 words", []any{entries(at(realtime, 1))}},
	{"a real-time document of another version", `UPDATE rt_urls SET seq = 52`, "rt_urls: url 15 http://a.example/15: its journal row 52 has no words or does not exist", nil},
	{"a real-time document that names other words", `UPDATE rt_urls SET words = '\x0100'`, "rt_urls: url 15 http://a.example/15: its 0 words do not match its 2 words in wordurl1", nil},
	{"a document taken out without a mark", `UPDATE rt_urls SET seq = 54 WHERE url_id = 14`, "rt_urls: url 14 http://a.example/14: its journal row 54 has no words or does not exist", nil},
	{"a real-time posting of nothing", `UPDATE wordurl1 SET urls = $1, urlcount = 2, totalcount = 2 WHERE word = 'cat'`, `wordurl1: "cat": a posting of url 99`, []any{entries(at(realtime, 0), at(99, 1))}},

	// The crawl.
	{"held by a closed schedule", `UPDATE schedule SET status = 'a' WHERE seq = 2`, "site 2 is held by schedule 2, which is closed", nil},
	{"held by a missing schedule", `DELETE FROM schedule WHERE seq = 2`, "site 2 is held by schedule 2, which is not there", nil},
	{"held by another site's schedule", `UPDATE sitestate SET lease_seq = 2 WHERE site_id = 1`, "site 1 is held by schedule 2, which is of sites [2]", nil},
	{"an open schedule that holds nothing", `UPDATE sitestate SET lease_seq = 0 WHERE site_id = 2`, "schedule: seq 2: is open, but site 2 is held by 0", nil},
	{"a URL of another site in a schedule", `UPDATE schedule SET url_ids = '{10}' WHERE seq = 2`, "schedule: seq 2: url 10 http://a.example/10 is on none of its sites", nil},
	{"a URL twice in schedules", `UPDATE schedule SET url_ids = '{9,9}' WHERE seq = 2`, "is also in schedule 2", nil},
	{"a schedule of no run", `UPDATE schedule SET run_id = 77 WHERE seq = 1`, "schedule: seq 1: its run 77 is not there", nil},
	{"open after its run was complete", `UPDATE schedule SET run_id = 1 WHERE seq = 2`, "schedule: seq 2: of run 1 is open, but run 1 ended complete", nil},
	{"open after a later run was complete", `INSERT INTO reindexing (run_id, kind, ended_at, end_reason) VALUES (4, 'crawl', now(), 'complete')`, "of run 3 is open, but run 4 ended complete", nil},
	{"two crawls at once", `UPDATE reindexing SET ended_at = NULL, end_reason = NULL WHERE kind = 'crawl'`, "runs 1 and 3, both of kind crawl, are open", nil},
	{"a gate without hold", `UPDATE site_hold SET ended_at = now(), ended_by = 'released'`, `gate "h", open hold: false`, nil},
	{"a hold without gate", `UPDATE sitestate SET gate = 'a' WHERE site_id = 2`, `gate "a", open hold: true`, nil},
	{"a hold of nothing", `UPDATE site_hold SET url_id = 99`, "site_hold: site 2, run 1, url 99", nil},
}

func docwords(words ...posting.DocWord) []byte { return posting.AppendDocWords(nil, words) }

// swapped is the blob of "cat" with its last two records in the other order.
func swapped() []byte {
	b := entries(at(root, 1, 7), at(lost, 1), at(purged, 2))
	n := len(b)
	return append(append(append([]byte{}, b[:n-16]...), b[n-8:]...), b[n-16:n-8]...)
}

// large is a blob of more than 256 KiB.
func large() []byte {
	positions := make([]uint16, 16383)
	for i := range positions {
		positions[i] = uint16(i)
	}
	var list []posting.Entry
	for id := range int32(9) {
		list = append(list, at(id+1, positions...))
	}
	return entries(list...)
}
