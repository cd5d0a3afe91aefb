package database_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/store"
)

// TestSchemaHint verifies that the hint for a database made before 0.1 names what to remove: a folder or a
// database.
func TestSchemaHint(t *testing.T) {
	for _, c := range []struct {
		name, addr string
		err        error
		want       string
	}{
		{"embedded", "", store.ErrSchemaOld, "remove the folder /data/pg,"},
		{"a URL", "postgres://spider@host:5433/web?sslmode=disable", store.ErrSchemaOld, "(dropdb web; createdb -E UTF8 -T template0 web)"},
		{"settings", "host=/run/postgresql dbname=web", store.ErrSchemaOld, "(dropdb web; createdb -E UTF8 -T template0 web)"},
		{"a newer schema", "", store.ErrSchemaNewer, "use the program that migrated this database"},
		{"another program's schema", "dbname=web", store.ErrSchemaForeign, "must name a database that no other program uses"},
	} {
		err := fmt.Errorf("open: %w", c.err)
		if got := database.SchemaHint(err, c.addr, "/data"); !database.WrongSchema(err) || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if database.WrongSchema(store.ErrUnavailable) {
		t.Error("a database that is not reached has a wrong schema")
	}
}
