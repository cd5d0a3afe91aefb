// Package spider visits the URLs that are due and records the result of each.
//
//	lease -> attempt: rules, robots.txt, fetch, parse, links -> outcome -> transaction: decide, act -> acknowledge
//
// The process leases schedules for its idle workers (leaser.go): batches of due URLs of one host. Each URL is
// parsed once and attempted: the rules of sets.cnf, robots.txt, the host's pause, the request
// (conditional when something is stored to compare with), and for a new body package document. Links
// that pass the filter are found. The result is an outcome: an extended status, and the packed
// words and content of a new version. An outcome is complete before its transaction begins; nothing
// is fetched, parsed or waited for inside a transaction.
//
// A visit (visit.go) is one URL on this way: its parsed form, Server, robots policy, fencing token and
// row. It is made where a batch begins, and its steps are its methods (attempt.go, read.go, links.go,
// reachable.go, record.go). crawler is the process: workers, leases, heartbeat (spider.go), pauses
// (politeness.go), requests (request.go), sweeps (sweep.go), workers (worker.go).
//
// A fetcher hands its outcomes to a recorder (recorder.go) and fetches on. A recorder takes what has come within 20 ms, registers
// the links of all and records the documents in one transaction. It locks the schedules and the URLs, reads the previous states, and
// asks the transition table for each document (transition.go): the first row that fits decides, and its action notes what is to be
// written. Documents that depend on each other, by a clone group, a gate or a redirect, go into transactions one after the other
// (finding.go). When the database refuses a value, the document that has it is recorded alone. The schedule is acknowledged when all
// its outcomes are recorded (scheduledrecords.go). A process that dies loses those that are not; they are fetched again.
//
// A URL that a sweep or a purge decides on goes through the same table without an attempt. docs/transitions.md is the table
// for readers, and a test compares the two.
//
// Unchanged documents are recorded in one statement with the fence and the leased state of each as conditions. A document whose state
// has changed is recorded alone.
//
// Four things concern many URLs at once:
//
//   - A sweep tests known URLs under changed rules: all of them after a change of sets.cnf, those of
//     one host after a change of its robots.txt. Its hash is stored when it is complete, so an
//     interrupted sweep is repeated. A dry run counts only.
//   - The safety gate (gate.go) holds back losses when a site fails as a whole.
//   - URL patterns without end are paused (pausedpatterns.go), which the room endless finds.
//   - A purge removes documents that are lost for good, and orphans when an operator asks for it.
//
// Workers without work wait and cost nothing. One goroutine asks for all of them when the process finds work
// (idle.go), and once a second for work that others found. Acknowledgements and wake-ups of sites that come
// while another one is under way share a transaction (joiner.go). Only a lease can find out that a run is over, because only the database knows all
// processes.
//
// index -T takes the same way without a schedule (realtime.go), with one recorder.
//
// What a site does is data and ends as an extended status with a cause. An error of this package is
// a fault of the program or of the database. The package contains no SQL.
package spider
