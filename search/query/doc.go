// Package query parses queries: a text, or the fields of a search form, becomes a tree in normal form.
//
//	text -lexer-> lexemes -parser-> parts -close-> Query (a tree, or the URL of link:) with notes
//
// A text is cut by the rules of package document, so a query has the same words as the documents. Words
// that are written without a blank between them (pg_stat_activity, wi-fi, 日本語) are a phrase. The comment
// of Parse has the grammar and every choice beyond it. Params parses each field of a form by itself: the
// content of one field never changes the meaning of another. Query.String writes a tree as a query that
// parses to the same tree, which tests verify with random trees and three fuzz targets.
//
//   - Words that the index leaves out keep their place: as a gap in a phrase, and between the terms of an
//     And, where distances count.
//   - A missing quotation mark or parenthesis is added, and a Note says so. A query that cannot be
//     understood gives an Error with a kind for programs, a sentence for people and the offset.
//   - Exclusions and site filters belong to an And, with or without parentheses, so the evaluation never
//     has to find all documents but some.
//
// No text makes the parser panic (B38). Texts reach the database as parameters only, and as a LIKE pattern
// only if they have a wildcard. The package needs no database.
package query
