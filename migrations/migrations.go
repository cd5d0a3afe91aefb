// Package migrations holds the schema as numbered SQL files, one subject a file, so that the programs and the tests
// apply the same ones (rules.md 6). They are goose's: `goose up` on an empty database works with them too.
package migrations

import "embed"

// FS holds the SQL files, by name.
//
//go:embed *.sql
var FS embed.FS
