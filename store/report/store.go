package report

import "github.com/pgseek/pgseek/store"

// Store answers operators' questions about a database, and keeps the statistics of queries. It is safe for concurrent use.
type Store struct{ *store.DB }

// New returns the reports' methods on a database.
func New(db *store.DB) *Store { return &Store{DB: db} }
