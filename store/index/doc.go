// Package index has the SQL of the inverted index: the batches of the merge, words and segments,
// links, ranks, dates, labels, subsets, totals, and what checks, mends and rebuilds all of it.
//
// A batch is one transaction. It counts itself in totals.changes first; when another program has
// changed the index since this one read it, nothing is written and the work begins again. Large sets
// travel as arrays or by COPY in the binary format.
//
// # Words
//
// A word with up to 1,000 bytes of postings has them in wordurl.urls. A larger one has rows in
// wordfile. These rows are immutable: level 0 is what batches brought, level 1 merged segments, level
// 2 the base. A quarter of each page of wordurl is left free, so that most updates stay in their page
// and touch no index. word_id is the primary key of wordurl; a sharded server would need a plain index
// there.
//
// # Links
//
// citation is the inverse of the hrefs of all content rows that are not deleted. What reads all links
// streams them from one snapshot by the indexes, one row at a time.
//
// # Subsets
//
// A subset is stored as sites first: a site that a mask covers whole is one row of subsetdocs, and its
// documents coming and going cost nothing. Other documents are listed in blocks of 16,384 ids, so one
// that comes or goes writes at most 64 KiB. A batch looks at every document that it has a journal row
// or mark of, in urlword as it is now. Each change into or out of the live originals writes one in its
// own transaction, so nothing else has to be watched.
//
// # Check, mend, rebuild
//
// A check reads one read-only snapshot as streams. What one row can be judged by is SQL; what is packed
// is compared by package merge. A rebuild writes tables in the schema pgseek_rebuild, through a search
// path, and swaps in the differences in one transaction. Clear empties the database (-C).
package index
