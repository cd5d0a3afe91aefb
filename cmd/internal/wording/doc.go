// Package wording has the words in which index and searchd tell the operator what the tables hold: statuses, times, instructions to
// robots, and what a site or a host waits for. Texts from outside are made fit for a terminal here.
package wording
