// Package sitemap reads the entries of a sitemap after the protocol of sitemaps.org: a list of URLs or an index
// file in XML, a text with a URL a line, or an RSS or Atom feed; each of them may be compressed with gzip.
//
// Read streams: it holds one entry in memory, whatever the size of the file. It stops at the limits of the
// protocol, 50,000 entries and 50 MB uncompressed. Elements of extensions (images, videos, news, alternate
// languages) are passed over. A broken file is an Error with the line; its entries up to there have been
// handed out.
//
// Which URLs are accepted, and when a sitemap is fetched, is decided in package spider.
package sitemap
