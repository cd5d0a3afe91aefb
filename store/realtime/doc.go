// Package realtime has the SQL of index -T: documents that searches find before a merge.
//
// The transaction of such a document ends with more writes than a crawl's: its words go to wordurl1,
// and rt_urls gets the document with the number of its journal row and the words that wordurl1 has of
// it. Searches ignore the postings in wordurl and wordfile of documents in rt_urls; so at the commit
// the new words are found and the old ones are not. A document that a transition took out is in
// rt_urls without words. A promoted clone is shown, and a demoted original hidden, in the same
// transaction. The journal row waits for the merge like any other, and a batch takes the document over
// when the version that it merged is not older.
//
//   - Words get their ids before the transaction, so no document waits for the new words of a merge. A
//     batch that meets new words of index -T is run again, and lets none be made meanwhile.
//   - Writers of wordurl1 take turns by one advisory lock, taken after all others, because every
//     document has common words. Rows are read and written in one statement each.
//   - rt_urls.words says which rows of wordurl1 to touch when the document comes again and when a merge
//     takes it over.
//   - What index -T reports as OK is found. An unchanged page, or the original of a clone, may wait for
//     the merge: each transaction looks for it in the journal, under the lock of the clone group, and
//     shows it as well.
//   - A batch takes documents over last, after its journal rows are gone. Before it removes them it
//     takes a lock that an index -T shares while it shows a waiting version. So that version is either
//     seen by the batch or found merged, and no two transactions wait for each other's rows.
//   - When wordurl1 or rt_urls is damaged, -X2 and --rebuild-index make both again from the journal in
//     one transaction under these locks.
package realtime
