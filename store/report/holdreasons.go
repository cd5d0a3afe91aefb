package report

import "github.com/pgseek/pgseek/store/crawl"

// HoldReasons are the reasons of site_hold in words.
var HoldReasons = map[string]string{
	crawl.HoldShare:     "more than MaxLostShare of its documents would have been lost",
	crawl.HoldStarts:    "all its start URLs failed",
	crawl.HoldRobots:    "its robots.txt forbids more than MaxLostShare of its documents",
	crawl.HoldRedirects: "more than MaxLostShare of its documents redirect",
	crawl.HoldCanonical: "more than MaxLostShare of its documents name other pages as canonical",
	crawl.HoldNoIndex:   "more than MaxLostShare of its documents say noindex: they are not found, but their contents are kept",
}
