package store

// URLID is a key of urlword and of every table about a URL. 0 means none.
type URLID int32

// SiteID is a key of sites, below 2^24. 0 means none.
type SiteID int32

// WordID is a key of wordurl. 0 means none.
type WordID int32

// RunID is a key of reindexing. 0 means none.
type RunID int32

// ProcessID is a key of process. 0 means none.
type ProcessID int32
