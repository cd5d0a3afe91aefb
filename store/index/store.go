package index

import "github.com/pgseek/pgseek/store"

// Store writes and checks the inverted index of a database. It is safe for concurrent use.
type Store struct{ *store.DB }

// New returns a Store on a database.
func New(db *store.DB) *Store { return &Store{DB: db} }
