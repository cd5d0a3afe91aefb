// Package web answers the HTTP requests of people and programs. docs/http.md is the contract.
//
//	request -> Form (parameters) -> Request -> engine -> Result -> page or JSON -> row of stat
//
// A Form is read from parameters, can be written as a URL that gives the same Form, and becomes a Request
// for a given time. Every search takes the same steps: read, search, answer, record. Its outcome determines
// the HTTP status, the metric and the row of stat together. The row is written while the answer is on its
// way, on the primary when searchd reads from a standby. The server answers 503 until it is connected to a
// Backend, whose functions are all that it needs of a database: the package has no SQL.
//
// Files: serve*.go have the handlers, form*.go the parameters, page*.go and pages/ the HTML, messages*.go and
// messages/ its texts in each language, stat.go the statistics of queries.
//
// # Pages
//
// Pages render plain structs with html/template. They know neither database nor request: links come as
// strings and functions. They work without scripts, with one stylesheet and the reader's own fonts, under a
// content security policy (PagePolicy).
//
//   - The address of a document is a link only if it is http or https. It is shown as host and path, and
//     escapes are decoded only if that gives printable characters.
//   - Texts from documents are shortened and lose bidirectional controls, so a page of 20 results stays
//     below 50 KB whatever is in the index.
//   - The search box has the focus where typing is the next step. It does not on a page with results, so
//     that keys scroll.
//   - An error marks its place in the query as psql does. An empty result names the words that are in no
//     document.
//
// Tests compare the pages with testdata/pages and parse them strictly. e2e/browser drives them in a browser,
// and make screenshots takes the pictures in docs/screenshots.
package web
