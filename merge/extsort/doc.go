// Package extsort sorts numbers that do not fit into memory: the links of all documents, for package merge.
//
// A Sorter collects numbers of 8 bytes up to a limit, writes sorted runs of them to a temporary file, and merges
// the runs, at most 64 at a time. A TempFile is a file of numbers that is written once and read any number of
// times; it has no name, so it disappears with the process. SortKeys sorts keys in memory, by their bytes.
package extsort
