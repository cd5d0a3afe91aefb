package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/cmd/internal/cli"
	"github.com/pgseek/pgseek/migrations"
	"github.com/pgseek/pgseek/spider/spidertest"
	"github.com/pgseek/pgseek/store/storetest"
)

// searches counts the rows of stat for a query on a server.
func searches(t *testing.T, dsn, query string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM stat WHERE query = $1`, query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// until waits for a condition.
func until(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s has not come", what)
		}
	}
}

// TestStandby runs searchd with a searchd.conf that names a streaming standby.
func TestStandby(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	site.HTML("/", `<title>Fruit</title> an apple`)
	primary := storetest.Cluster(t)
	in := newInstall(t, primary.DSN(), "Server "+site.URL+"/\n", "", "")
	in.run()
	standby := storetest.Standby(t, primary)
	configure := func(t *testing.T, file, dsn string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(in.dir, file), []byte(`DBAddr "`+dsn+`"`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in.said = &lines{}
	}
	finds := func(t *testing.T, query, found string) bool {
		t.Helper()
		p, err := in.ask(t.Context(), "/search?format=json&match=all&q="+query)
		if err != nil || p.status != 200 {
			t.Fatalf("%s: %v, status %d\n%s\n%s", query, err, p.status, p.body, in.said)
		}
		return strings.Contains(p.body, `"total_urls": `+found+`,`)
	}

	t.Run("nobody says where the primary is: searches are answered, and it is said once that they are not recorded", func(t *testing.T) {
		configure(t, "spider.cnf", standby.DSN())
		in.serve()
		for range 3 {
			if !finds(t, "apple", "1") {
				t.Error("the standby does not find apple")
			}
		}
		in.halt()
		if said := in.said.String(); strings.Count(said, "WARN") != 1 || strings.Count(said, "searches are not recorded") != 1 {
			t.Errorf("searchd said:\n%s", said)
		}
	})
	t.Run("the primary is away at the start: the rows of stat wait for it", func(t *testing.T) {
		configure(t, "spider.cnf", primary.DSN())
		configure(t, "searchd.conf", standby.DSN())
		if err := primary.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		in.serve()
		if !finds(t, "apple+waits", "0") {
			t.Error("the standby finds what is not there")
		}
		if err := primary.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		until(t, "the row of stat", func() bool { return searches(t, primary.DSN(), "apple waits") == 1 })
		in.halt()
	})
	t.Run("a merge on the primary is seen without a restart, and the rows of stat go there", func(t *testing.T) {
		in.said = &lines{}
		in.serve()
		if !finds(t, "apple", "1") {
			t.Error("the standby does not find apple")
		}
		until(t, "the row of stat", func() bool { return searches(t, primary.DSN(), "apple") == 1 })
		if p, err := in.ask(t.Context(), "/status?format=json"); err != nil || !strings.Contains(p.body, `"documents": 1,`) {
			t.Errorf("/status: %v\n%s", err, p.body)
		}
		site.HTML("/", `<title>Fruit</title> an apple and a <a href="cherry.html">cherry</a>`)
		site.HTML("/cherry.html", `<title>Cherry</title> red`)
		in.run("-a")
		// Dates are kept in searchd's memory: a document whose date is not known yet is left out.
		until(t, "the new page with its date", func() bool { return finds(t, "red&dt=back&dp=1y", "1") })
		report, err := exec.CommandContext(t.Context(), "searchd", "--config", in.dir, "--report").CombinedOutput()
		if err != nil || !strings.Contains(string(report), "  apple\n") {
			t.Errorf("--report: %v\n%s", err, report)
		}
		if said := in.said.String(); strings.Contains(said, "WARN") {
			t.Errorf("searchd warns:\n%s", said)
		}
	})
	in.halt()
	t.Run("a standby whose schema is older is refused, and what mends that is said", func(t *testing.T) {
		version := func(set string) {
			t.Helper()
			conn, err := pgx.Connect(t.Context(), primary.DSN())
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close(context.Background()) }()
			if _, err := conn.Exec(t.Context(), `UPDATE goose_db_version SET version_id = `+set+` WHERE id = (SELECT max(id) FROM goose_db_version)`); err != nil {
				t.Fatal(err)
			}
			until(t, "the version on the standby", func() bool {
				replica, err := pgx.Connect(t.Context(), standby.DSN())
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = replica.Close(context.Background()) }()
				there := false
				err = replica.QueryRow(t.Context(), `SELECT version_id = `+set+` FROM goose_db_version ORDER BY id DESC LIMIT 1`).Scan(&there)
				return err == nil && there
			})
		}
		newest, err := migrations.Newest(migrations.FS)
		if err != nil {
			t.Fatal(err)
		}
		version("0")
		cmd := exec.CommandContext(t.Context(), "searchd", "--config", in.dir, "--listen", "127.0.0.1:0")
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != cli.ExitDatabase || !strings.Contains(string(out), "hint: the schema is older") {
			t.Errorf("%v\n%s", err, out)
		}
		version(strconv.FormatInt(newest, 10))
	})
	t.Run("a standby that is promoted has the rows itself", func(t *testing.T) {
		in.serve()
		conn, err := pgx.Connect(t.Context(), standby.DSN())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(context.Background()) }()
		if _, err := conn.Exec(t.Context(), `SELECT pg_promote()`); err != nil {
			t.Fatal(err)
		}
		until(t, "a row of stat on the promoted standby", func() bool {
			finds(t, "promoted", "0")
			return searches(t, standby.DSN(), "promoted") > 0
		})
		finds(t, "afterwards", "0")
		until(t, "the next row of stat", func() bool { return searches(t, standby.DSN(), "afterwards") == 1 })
		if n := searches(t, primary.DSN(), "afterwards"); n != 0 {
			t.Errorf("the old primary has %d rows", n)
		}
	})
}
