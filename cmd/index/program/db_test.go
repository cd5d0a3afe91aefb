package program

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHidePassword verifies that the arguments of psql contain no password, and that psql still receives it.
func TestHidePassword(t *testing.T) {
	type hidden struct {
		Address     string
		Environment []string
	}
	for _, c := range []struct{ name, dsn, address, password string }{
		{"URL", "postgresql://me:se%20cret@db1/web?sslmode=disable", "postgresql://me@db1/web?sslmode=disable", "se cret"},
		{"URL, as a parameter", "postgres://me@db1/web?password=s%26t&port=1", "postgres://me@db1/web?port=1", "s&t"},
		{"URL without", "postgresql://me@db1/web", "postgresql://me@db1/web", ""},
		{"settings", "host=db1 password=secret user=me", "host=db1  user=me", "secret"},
		{"settings, quoted", `password = 'it\'s a \\ secret' host=db1`, "host=db1", `it's a \ secret`},
		{"settings without", "host=db1 passfile=/etc/pgpass", "host=db1 passfile=/etc/pgpass", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got hidden
			got.Address, got.Environment = hidePassword(c.dsn)
			want := hidden{Address: c.address}
			if c.password != "" {
				want.Environment = []string{"PGPASSWORD=" + c.password}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
