// Package report has the SQL behind the answers for people: counts of URLs by status and site
// (index -S), everything about one URL (--explain), the way by which it was found (-P), postings of a
// word (--dump-word), the delete set (--dump-markdel), the status page of searchd, reports on the
// statistics of queries (searchd --report), and emptying the database (-C).
//
// It reads tables that the crawl and the merge write, and changes none of them, except -C, which holds
// the locks of both. Each answer is one transaction, so its parts fit together. What is streamed is
// handed to a function row by row.
package report
