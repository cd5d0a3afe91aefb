// Package fetch sends one request and returns one answer: status, headers, body, digest and cause. It
// is the only importer of colly, and it knows no database, no rules and no robots.txt.
//
// Redirects are not followed, cookies are not kept, and no proxy of the environment is used. Every
// failure is an extended status with a cause (status.go): 6xx for headers, 7xx for no answer, 8xx for
// a body that cannot be read. A panic on the way is an 805.
//
// # What colly does
//
// colly builds the request and sends it through its client, reads the body, and calls back with the
// headers (OnResponseHeaders) and with the decoded body (OnResponse), which fill the Answer. It does
// not visit, queue, wait, parse HTML, follow redirects or ask for robots.txt: those are rules of the
// crawl. The round tripper below its client owns the wire, because colly's limits are not exact enough:
// it sends the stored URL byte for byte, watches the speed, decodes, digests the whole body while colly
// reads the part that is kept, and remembers the network's error. It withholds two headers from colly
// and returns them to the Answer afterwards: Location, because net/http's client fails at a Location
// that it cannot parse even when redirects are not followed, and the charset of Content-Type, because
// colly would convert the body to UTF-8, and the digest and the parser need it as it was sent.
// Cookies are not kept: the client has no jar. A session, when there are sessions, is a collector of
// its own with a jar in its client (newCollector); Set-Cookie reaches it already.
//
// # The wire
//
// The request target is the stored URL, byte for byte: the parsers between the program and the wire
// would escape a lone % again.
//
// A request is sent once. net/http would repeat it on every idle connection and then on a new one,
// unseen by the politeness rules. When a kept connection ends without a byte of an answer, the caller
// may ask again once, on a new connection and after the host's pause. Idle connections are closed by
// this package, earlier than servers close them: the timer of net/http may close a connection just as
// an answer without a body arrives. A pooled connection is used again only after the previous answer
// has been handed over, because its next user may break it.
//
// # Limits
//
// Connecting, the first byte and the whole fetch have limits of time; headers, bodies and their
// compressed form have limits of bytes; a body slower than 256 bytes a second after ten seconds is
// given up. Bodies are decoded here, digested as they arrive, and kept up to IndexLimit. A body that
// is not wanted is not read.
//
// # Addresses
//
// A Guard checks the address of every connection after name resolution, so a name that changes its
// address gains nothing. Private and special networks are denied unless the configuration opens them.
package fetch
