// Package spider visits what is due and records what came of it.
//
// It owns the frontier's use (spider.go: workers, batches, idleness), politeness, robots.txt, what belongs to the document set
// (scope.go, links.go), URLs (normalize.go), the fetch (fetch.go, the only importer of colly), the judgement of an answer
// (status.go, attempt.go), and the table of status transitions (transition.go) that reads like rules.md 4.1. It refuses to know how
// anything is stored: that is store's, which it calls with facts.
//
//	lease -> attempt: rules, robots.txt, fetch, parse, links -> outcome -> transaction: decide, act -> acknowledge
//
// An outcome is complete before its transaction begins: nothing is fetched or parsed inside one. What a site does is data and
// ends as an extended status with a cause; an error of this package is ours or the database's.
package spider
