// Package store is the base of everything that speaks SQL: the connection pool, transactions and
// their repetition, advisory locks, ids, the packed status, errors, and migrations. The statements are
// in its rooms, one for each kind of caller:
//
//	room            caller                  tables that it writes
//	store           all                     reindexing (-D, -K, -H ...), the counter totals.changes
//	store/crawl     spider                  sites, urlkey, urlword, urlwordsNN, urlstate, crawl_history, journal, markdel,
//	                                        schedule, fetcher, process, sitestate, site_hold, host_limit, robots*, crawl_control,
//	                                        sitemaps, named_by, reindexing (crawls, -T)
//	store/realtime  store/crawl and /index  wordurl1, rt_urls; rows without postings in wordurl
//	store/index     merge                   wordurl, wordfile, docwords, citation, docdates, urlrank, rankstate, wordsite,
//	                                        subsetdocs, subsetstate, totals, spaces, wordrules, sitestate.labelled; removes
//	                                        rows of journal and markdel; -X2 adds such rows; -C empties the tables
//	store/lookup    search                  none
//	store/report    cmd/index, cmd/searchd  stat
//
// One exported method is one transaction. A statement is a constant above the method that runs it. Its
// first words are followed by the method's name in a comment, such as /* store.Lease */ in every room, so
// that pg_stat_activity leads to the code. The index that serves a statement is named in a comment, too.
// docs/schema.md describes every table.
//
// Four more packages belong to it: store/posting has the packed formats,
// store/embedded runs a private PostgreSQL; store/failpoint and store/storetest serve tests.
//
// # Repetition
//
// A serialization failure or a deadlock repeats the whole transaction, at most ten times. While the
// database is away or full, work waits up to WaitLimit. When the connection breaks during a commit, a
// document's transaction reads back whether it happened (P6). A refused value is an error of that
// document (P8). So a transaction function may run several times.
//
// # Sessions
//
// Plans are generic and made once (plan_cache_mode), sequential scans are off, and jit is off: nearly
// all statements look rows up by key. Statements that read everything switch sequential scans on for
// their transaction (ReadAll). See docs/decisions/0002-generic-plans.md.
//
// # Order of locks
//
// The clone group (an advisory lock on the crc), the schedule, the rows of urlword in ascending
// url_id, then the rows that are written; the lock of wordurl1 last. Ids are drawn in blocks before the
// rows that use them, and sites are written in a transaction of their own before their URLs. Session
// locks (crawl, merge, process) are on a connection of their own. lock.go and docs/schema.md, chapter 9,
// list all of them.
package store
