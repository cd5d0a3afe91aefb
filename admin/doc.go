// Package admin serves the pages with which the operator steers a continuous crawl: crawl now, pause, resume, release a site, add,
// re-index or remove a URL. It changes nothing that is in files.
//
// The pages are behind a password and work without scripts. Changes are POST requests with the token of the session, whose Origin
// is the Host. The Host is this machine or a name of Options.Hosts, so that a page of another site can neither send a form nor
// read a page, also by a name of its own that it points at this machine.
package admin
