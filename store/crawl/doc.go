// Package crawl has the SQL of the crawl: due URLs, the schedules that lease them, and their results.
//
// # Runs and processes
//
// A run is a row of reindexing. Several processes may work on one run; each has a row of process and
// holds an advisory lock of its number on a connection of its own. No time-out decides whether a
// process lives: when the lock is gone, the process is dead, and its schedules are free at once. The last
// process to leave a run ends it. Whether the frontier of a run is ready is a fact in a row
// (reindexing.begun_at), not a lock, because a session may end without its process; others wait for it.
//
// # Frontier
//
// The work of a run is every URL whose next_index_time is at most the run's start. A fetched URL
// gets a later time, so no list of visited URLs is needed, and a killed run leaves exactly its rest.
// sitestate.next_class and next_due are an index over urlword. Only a window of the longest due URLs
// of each site is put into the order of priority, so the cost of a lease does not grow with the number of known URLs.
//
// # Schedules
//
// A schedule leases URLs of one host to one fetcher until a deadline. (number, attempt) is the fencing
// token: the first statement of a document transaction locks the schedule and checks it. A late
// schedule is issued again, without the URLs that are recorded already.
//
// A process leases for all its idle fetchers together, and leases of several processes run side by
// side. A lease locks the rows of the hosts that it takes and passes over hosts that another
// transaction has locked, so it never waits for a row. Only a lease finds out that a
// run is over: no schedule was open before it looked, and it found nothing, not even a host that
// pauses. Then it looks a second time, while no other lease is under way. It also asks urlword itself,
// because a process may have died between a registration and the wake-up of its site.
//
// # Documents
//
// A document transaction records one document or many in two round trips: it locks the schedules and
// the URLs, each in one order, and reads the previous states; the spider decides; all writes travel
// with the commit, one statement for each table. Marks and journal rows draw their numbers from one
// sequence under the lock of the URL's row, so for one URL they are in the order of events.
// synchronous_commit is off for them and for acknowledgements, never for leases and registrations.
// A document that turns into an error loses its content row; markdel.links keeps its links for the
// merge. An unchanged redirect writes no journal row.
//
// URLs are registered before the transaction that links to them. Ids come from blocks; recent ids of
// URLs and sites are cached in two generations, until a new connection to the database is made.
package crawl
