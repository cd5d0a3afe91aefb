package report

import "github.com/pgseek/pgseek/store"

// Store reads reports for operators from a database, and writes the statistics of queries. It is safe for
// concurrent use.
type Store struct{ *store.DB }

// New returns a Store on a database.
func New(db *store.DB) *Store { return &Store{DB: db} }
