// Package weburl brings URLs into the normal form in which they are stored. Equal texts are one row of
// urlword.
//
// The form is safe: it follows the rules of browsers (WHATWG) and never joins two URLs that a server
// may tell apart. In addition it removes user information and the fragment, writes the digits of
// percent-escapes in capitals, and rejects hosts and ports that nothing can connect to. Normalizing a
// normalized URL changes nothing; a fuzz target holds that. Only http and https pass, up to
// MaxURLLength bytes; file URLs (file.go) come from operators and from files only. A URL is never shortened.
//
// Most links of a page are plain; a fast path handles them without the full parser and gives the same
// result, which a fuzz target holds, too.
//
// The query of a link is written in the charset of its page, the path in UTF-8, as browsers do (query.go).
//
// A URL of a table is in normal form already: ParseNormalized only finds its parts. The texts of
// errors never contain the URL, which may contain a password.
package weburl
