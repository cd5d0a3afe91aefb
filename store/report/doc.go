// Package report has the SQL behind the answers for people: counts of URLs by status and site
// (index -S), everything about one URL (--explain), postings of a word (--dump-word), the delete set
// (--dump-markdel), the status page of searchd, and the statistics of queries (searchd --report,
// --stat-purge).
//
// It reads tables that the crawl and the merge write, and writes only stat, a row for each query. Each
// answer is one transaction, so its parts fit together. What is streamed is handed to a function row by
// row.
package report
