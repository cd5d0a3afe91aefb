// Package robots reads a robots.txt for one agent and answers whether a path may be fetched, after
// RFC 9309.
//
// Parse never fails: what is no rule is ignored. Crawl-delay, which is not part of the standard, is read. The group of our product token counts, else the group of *. Several groups of one agent
// are joined, and a line with several names addresses each of them. The longest matching pattern decides, and Allow wins a tie; * and $ are the wildcards.
// Patterns and paths are compared in one normal form of percent-escapes. The first 512,000 bytes are
// read, and a line is cut at 16 KiB.
//
// Rules do not change after they were read and are safe for concurrent use. Their hash identifies
// them: it decides whether the URLs of a host have to be swept, and is a part of the hash under which
// the links of a page were read. The deciding line is returned with its number, to explain it.
//
// Fetching robots.txt, the policies (rfc9309, gsa) and the cache of hosts are in package spider.
package robots
