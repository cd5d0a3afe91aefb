package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// TestDatabaseWithoutAFreeConnection: a server at its limit answers, and the messages say what it lacks.
func TestDatabaseWithoutAFreeConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Server http://example.com/\n")
	login := fmt.Sprintf("login_%d", time.Now().UnixNano())
	w.rows(`CREATE ROLE ` + login + ` LOGIN PASSWORD 'x' CONNECTION LIMIT 0`)
	t.Cleanup(func() { w.rows(`DROP ROLE ` + login) })
	cfg, err := pgx.ParseConfig(w.dsn)
	if err != nil {
		t.Fatal(err)
	}
	w.write("spider.cnf", fmt.Sprintf("DBAddr \"host=%s port=%d dbname=%s user=%s password=x sslmode=disable\"\nDBWaitLimit 1s\n",
		cfg.Host, cfg.Port, cfg.Database, login))
	code, _, errOut := w.try("-S")
	if code != exitDatabase || !strings.Contains(errOut, "waiting for the database\" why=\"the database server has no connection free\"") ||
		!strings.Contains(errOut, "hint: raise max_connections") || strings.Contains(errOut, "does not answer") {
		t.Errorf("exit %d\n%s", code, errOut)
	}
}

// TestRoleWithoutASchema: a search_path without a schema that exists stops the migrations, and the hint says what to set.
func TestRoleWithoutASchema(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Server http://example.com/\n")
	for _, path := range []string{`''`, "nowhere"} {
		w.write("spider.cnf", fmt.Sprintf("DBAddr %s\n", quote(w.dsn+"&search_path="+path)))
		code, _, errOut := w.try("-S")
		if code != exitDatabase || !strings.Contains(errOut, "hint: search_path of the user that DBAddr names has no schema that exists") {
			t.Errorf("search_path %s: exit %d\n%s", path, code, errOut)
		}
	}
}
