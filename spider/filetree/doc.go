// Package filetree answers requests for files: it is the other source beside the Web. A request and its answer have the form of HTTP
// (http.RoundTripper), so types, limits and digests are decided by package fetch as for any page. It knows no database and
// no rules of a crawl.
//
// A path is walked from its root one name at a time, each below the opened directory before it, and never through a symbolic
// link: nothing outside of the root can be opened, whatever somebody changes meanwhile. A link that leads to a place below a
// root is a redirect to it, so that a file has one URL and a link to a parent makes no endless tree. FIFOs, devices and sockets
// are never opened.
//
// The ETag is made of size, time of the last change, and inode. An unchanged file is not opened. What was changed within the last
// two seconds gets another ETag at the next visit, because a second change may leave all three as they are.
//
// Unless Options.Private, only what everybody may read is answered: the root and the directories below it have o+x, a listing
// and a file o+r. Directories above the root do not matter.
package filetree
