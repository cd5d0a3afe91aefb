package search

import (
	"github.com/pgseek/pgseek/store"
)

// Options of an Engine that hold for all its searches (searchd.conf, rules.md 2.4).
type EngineOptions struct {
	SiteWeights map[string]int // by site name, http://host[:port]/: more goes first; 0 for all others
}

// An Engine answers searches from the index in a database. It is safe for concurrent use.
type Engine struct {
	store *store.Store
	o     EngineOptions
}
