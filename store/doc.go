// Package store keeps everything that pgseek knows in PostgreSQL. It is the only package that speaks SQL.
//
// One exported method is one transaction and one fact about the world: a document was fetched, a schedule was leased,
// a batch was merged. Statements stand as constants above the method that runs them and carry its name in a comment, so
// that pg_stat_activity leads back to the code.
//
// Who writes what:
//
//	crawl    sites, urlkey, urlword, urlwordsNN, urlstate, journal, markdel, crawl_history, schedule, sitestate, robots*
//	merge    wordurl, wordfile, docwords, citation, docdates, wordsite; removes journal and markdel rows
//	both     reindexing, each its own row
//	search   stat; the one thing that role pgseek_search may write
//
// Locks are taken in one order: the clone group (an advisory lock on the crc), the schedule, urlword rows by ascending
// url_id. Site rows are written in a transaction of their own before the URLs that name them, ids are drawn in blocks
// before the rows that use them, and no transaction writes both a big table and a small one where it can be helped: so the
// same statements run on a sharded server. Whoever meets a serialization failure or a deadlock repeats the whole transaction.
package store
