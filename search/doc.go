// Package search turns what a person types into documents of the index.
//
// It has four rooms. The query language (aspseek.md 9.1; parse.go, tree.go and the files beside them):
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
// The engine, which answers a Request from one moment of the index (search.go; aspseek.md 9.3, rules.md 8):
//
//	Query ─plan─► cursors over postings ─evaluate─► ranks ─collect─► the page's documents ─show─► Result
//
// What a person sees of a document: excerpts, marks and cached copies (finder.go, excerpt.go, copy.go; aspseek.md 9.4).
//
// The server: requests and answers (serve*.go, form*.go; aspseek.md 9.2, 9.5), and its pages (page*.go, pages/).
//
// The package imports store, store/posting and document only. All SQL is in store; what the server needs of a database it is
// given as functions.
package search
