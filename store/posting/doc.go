// Package posting reads and writes the packed columns of the index: bytes in, postings out, no database. Crawl, merge and
// search share it. All numbers of fixed width are little-endian; a uvarint is encoding/binary's, in its shortest form.
//
// # The word blob: wordurl.urls, wordurl1.urls, wordfile.urls
//
// It is ASPseek's, byte for byte, and so has no version. It has N sites, then their records,
// without gaps:
//
//	0           u32  offset of the records of site 1 (= 8N+4, from which N follows)
//	4           u32  site_id 1
//	...
//	8(N-1)      u32  offset of the records of site N
//	8(N-1)+4    u32  site_id N
//	8N          u32  end of the records of site N = length of the blob
//	8N+4 ...         records: u32 url_id, u16 count, count times u16 position
//
// Sites ascend by site_id, records of a site by url_id, positions as numbers. A position has its section in bits 14 and 15
// (0 body, 1 description, 2 keywords, 3 title) and the ordinal in it in bits 0 to 13. A count is 1 to 16383; a count of 0
// says that the document lost the word, and occurs only in rows of wordfile above the base. A word
// without documents has an empty blob. Site 1 with URL 5 at positions 1 and 7, site 2 with URL 9 at position 3 (38 bytes):
//
//	14000000 01000000 1e000000 02000000 26000000   sites: 1 at 20, 2 at 30, end 38
//	05000000 0200 0100 0700                        url 5, 2 positions
//	09000000 0100 0300                             url 9, 1 position
//
// # The words of a document version: journal.words
//
//	u8       version, 1
//	uvarint  number of words, bytes of column 1, bytes of column 2
//	column 1 for each word, ascending as bytes: u8 bytes shared with the word before, u8 bytes that follow, these bytes
//	column 2 for each word: uvarint count of positions, 1 to 16383
//	column 3 for each word: its positions, the first as it is, each other as its difference to the one before; uvarints
//	u32      CRC-32C of all bytes before it
//
// Words are valid UTF-8 of 1 to 32 characters, share as many bytes as they can, and positions ascend, so equal words have
// equal bytes. "cat" at 1 and 7, "cats" at 16386 (ordinal 2 of the description; 23 bytes):
//
//	01 02 08 02                version, 2 words, 8 and 2 bytes
//	00 03 63 61 74  03 01 73   "cat"; 3 shared and "s"
//	02 01                      counts
//	01 06 82 80 01             1, +6; 16386
//	85 d0 60 ee                checksum
//
// # The words of a merged document: docwords.words
//
//	u8       version, 1 or 2
//	uvarint  number of words
//	each     uvarint word_id (the first as it is, each other as its difference to the one before), uvarint count
//
// and in version 2, which has a word at least, the fingerprints of its blocks (blocks.go):
//
//	uvarint  number of blocks
//	each     uvarint index (the first as it is, each other as its difference to the one before), u64 fingerprint, not 0
//
// Version 1 has no fingerprints. It is used by rows of older programs, by rows that index -X2 has mended, for
// versions whose positions are so sparse that fingerprints would be longer than they, and in rt_urls.words. Word 205 twice, word 300 once (7 bytes):
//
//	01 02 cd 01 02 5f 01
//
// The same of "cat" at 1 and 7, "cats" at 16386 (26 bytes):
//
//	02 02 cd 01 02 5f 01      version and words
//	02                        2 blocks
//	00 111029dbc491d83f       block 0: the sum of two hashes
//	80 02 8e11829ebdc95a0a    block 256, ordinals 0 to 63 of the description: the hash of "cats" and 16386
//
// # Stored content: urlwordsNN.words
//
// u32 size of the content and a gzip stream (readers accept zlib, which ASPseek wrote), or ffffffff and the
// unpacked content when packing does not make it smaller.
//
// Decoders trust nothing: every count is checked against the bytes left before memory is allocated, and a violation of
// the format is an error that wraps ErrCorrupt and names the offset, never a panic.
package posting
