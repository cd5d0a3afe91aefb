// Package lookup has the SQL of a search. A query is one read-only REPEATABLE READ transaction with up
// to three looks at the database; the questions of a look travel together.
//
//  1. Words: rows of wordurl, the heads of their segments, rows of wordurl1, what limits the search
//     (sites, subsets, spaces), and which documents have left or are in the real-time index.
//  2. Segments: the rows of wordfile that the evaluation turns out to need.
//  3. Documents: what the page of results shows.
//
// When all documents of a page were shown before, one statement replaces the third look: it compares
// the xmin of each document's rows in urlword, docdates and urlstate, and of its clones. A transaction
// that changes what is shown of a content row also writes the row of urlword, so an equal version means
// an unchanged document.
//
// Link ranks and dates are read whole and again after each merge (LISTEN pgseek_index). A standby
// refuses LISTEN; there the row of totals is asked for every two seconds, because each transaction that
// notifies writes it. Dates of real-time documents come with the query.
//
// The role pgseek_search may read what this package reads and insert into stat, nothing else.
package lookup
