// Package search evaluates a query over one snapshot of the index.
//
//	Query -plan-> cursors over postings -evaluate-> scores -collect-> documents -show-> Result
//
// Package search/query reads the text of a query, search/snippet makes excerpts and cached copies, and
// search/web serves HTTP. All SQL is in store/lookup.
//
// # Evaluation
//
// A tree of cursors iterates over the postings in the order of the index, site by site. A cursor seeks the
// first match at or after a place and never goes back. So an And reads of its frequent words only the rows
// in which its rarest word occurs, and sites that a filter excludes are skipped.
//
// The postings of a word are the union of its row in wordurl, its segments in wordfile, of which the newest
// wins, and its row in wordurl1, which wins for documents in rt_urls. So neither the merge nor index -T
// locks out searches. A phrase is evaluated as a set of possible ends: each step leads from one set to the
// next, because alternatives differ in width. rank.go has the formula of the rank, rank_aspseek.go ASPseek's. The
// collector keeps only the best documents, so memory does not grow with the number of matches. The 100 best
// keep the places of the query's words (near.go), which decide about their final ranks.
//
// Of words that are no conditions of the query a document needs any (some.go). Documents with all words are
// counted exactly.
//
// Work that cannot change the page is avoided. The positions of words are read only in
// documents that may be shown. Link ranks are read only of documents whose block of 64 ids has a high enough
// maximum. All other matches are only counted.
//
// Only documents with a mark or in the real-time index can have left since their words were merged. Up to
// 2,000 of them are looked up in advance. If there are more, those that match are looked up.
//
// # Memory
//
//   - The word cache has the postings of recent query words. It is valid while the row of totals is
//     unchanged, because every transaction that changes postings writes that row. If it has changed, the
//     search starts again.
//   - Rows of wordfile are immutable. They are cached by their key and xmin.
//   - The document cache has the rows that recent pages showed, by url_id and version. Texts for excerpts
//     are cached by the xmin of the row of urlword. Complete answers are not cached.
//   - Link ranks, dates, lengths and kinds (kinds.go) are arrays, 8 bytes for each URL, 9 with more than 256 kinds. They are read again after a merge.
//
// With EngineOptions.Memory the process stays below 200 MB and 10 bytes for each URL: the garbage collector
// works harder when that is used up (GOMEMLIMIT overrides it). The caches are sized so that this is rare.
//
// # Other words
//
// Other forms of a word are words of the dictionary with the same Snowball stem. They count less than the word
// itself. A suggestion is the word of the dictionary with the smallest edit distance and the same
// beginning (spell.go).
package search
