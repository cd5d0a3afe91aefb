// Package search turns what a person types into documents of the index.
//
// So far it holds the first half of that, the query language (aspseek.md 9.1):
//
//	text ─lexer─► lexemes ─parser─► parts ─close─► Query (a tree, or the URL of link:) with notes
//
// Parse reads one text, Params.Parse the fields of a search form. Both give a tree in normal form: equal questions
// have equal trees as far as the language itself knows, and String writes a tree as a query that parses to it again.
// What a query is cut into are the words of package document, so that query and index have the same; a word of several
// (pg_stat_activity, wi-fi, don't, 日本語) is a phrase of them.
//
// What cannot be searched for is an *Error: a sentence for the person who typed it, with the place in the text. What was
// understood otherwise than it was written (a quotation mark that is missing, a word that the index leaves out) is a
// Note. No text makes the parser panic, and none becomes SQL or a pattern of LIKE unless it is a wildcard (reliability.md
// B38).
//
// The package imports store, store/posting and document only; of these the language needs document.
package search
