// Package snippet shows documents to people: excerpts with the words of the query marked, and cached copies.
//
// The stored body is parsed again by package document, this time into running text in which the words have
// the same ordinals as in the index. So phrases are found in the text as they were found by position.
//
// A Finder has the terms of a query (finder.go, finder_phrase.go). Excerpts are chosen by a window that moves
// over the words found: the best windows are kept and pieces are cut around them (excerpt.go, piece.go). The
// cost is linear in the length of the text for every query: the search for phrases has a limited number of
// steps, and beyond it only the distances of the terms decide.
//
// A copy is generated, not filtered (copy.go): it has known elements with known attributes, and text. It has
// no images and no styles of the author, because those would reveal the reader to other sites or hide the
// head of the copy. Its content security policy forbids everything else.
//
// Documents with noarchive have no copy, and documents with nosnippet no excerpts. Both come from META or
// X-Robots-Tag and are stored in urlstate.marks together with the version that was read.
package snippet
