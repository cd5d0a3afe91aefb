package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestSecondProject verifies that a configuration of other hosts is refused on a database that a first one crawls, however
// often it is tried and with every mode that would act by it, that nothing changes meanwhile, and that --adopt adds it.
func TestSecondProject(t *testing.T) {
	t.Parallel()
	site, other := forest(t, 2), spidertest.NewSiteOn(t, "127.0.0.2")
	other.HTML("/", "another project")
	first, second := "Server "+site.URL+"/\n", "Server "+other.URL+"/\n"
	w := newWorld(t, first)
	w.index()
	site.Forget()
	w.sets(second)
	for _, args := range [][]string{nil, nil, {"-a"}, {"-q"}, {"-T", other.URL + "/"}, {"-C", "-w"}} {
		w.stopped(args, "sets.cnf (host 127.0.0.2) does not belong to the database ", "which host 127.0.0.1 crawls; nothing was changed", "--adopt")
	}
	if n := len(other.Requests()) + len(site.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
	w.sets(first)
	w.index()
	for _, r := range site.Requests() {
		if r.Path != "/robots.txt" && r.Status != 304 {
			t.Errorf("%s is fetched again", r.Path)
		}
	}
	w.sets(second)
	w.stopped([]string{"--adopt"}, "would take 5 of 5 documents out") // the other gate
	w.sets(first + second)                                            // shares a host
	w.index()
	w.sets(second)
	w.stopped(nil, "would take 5 of 6 documents out")
	w.index(w.accept()...)
	if got := fmt.Sprint(w.rows(`SELECT kind, name FROM crawled_by ORDER BY 1, 2`)); got != "[host 127.0.0.1 host 127.0.0.2]" {
		t.Errorf("remembered: %s", got)
	}
	w.index("-C", "-w")
	w.sets("Server " + strings.Replace(site.URL, "127.0.0.1", "127.0.0.3", 1) + "/\n")
	w.spider("ConnectivityInterval 0\n")
	w.index("-n", "1") // a cleared database is everybody's
	w.sets(second)
	w.index("--adopt", "-T", other.URL+"/") // for once
	w.stopped(nil, "which host 127.0.0.3 crawls")
	w.index("--adopt", "-n", "1")
	w.index("-n", "1")
}

// TestServerOfAnotherHost verifies that the hash of --accept-rules is enough for an intended change of the only host.
func TestServerOfAnotherHost(t *testing.T) {
	t.Parallel()
	site, other := forest(t, 2), spidertest.NewSiteOn(t, "127.0.0.2")
	other.HTML("/", "the site has moved")
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	w.sets("Server " + other.URL + "/\n")
	for range 2 {
		w.stopped(nil, "does not belong to the database")
	}
	w.index(w.accept()...)
	if got := strings.Join(w.rows(`SELECT url FROM urlword WHERE deleted = 0 AND status = 200`), " "); got != other.URL+"/" {
		t.Errorf("documents: %s", got)
	}
}

// TestProjectName verifies that the name of a project is remembered in place of its hosts, that a configuration without a
// name may give itself one, and that a restored dump and a database from before have no other owner.
func TestProjectName(t *testing.T) {
	t.Parallel()
	site, other := forest(t, 2), spidertest.NewSiteOn(t, "127.0.0.2")
	other.HTML("/", "other words")
	server := "Server " + site.URL + "/\n"
	w := newWorld(t, server)
	w.index()
	w.sets("Project \"our wiki\"\n" + server)
	w.index()
	w.sets("Project \"our wiki\"\nServer " + other.URL + "/\n" + server)
	w.index() // the name is enough
	c := w.copy(t, "Project \"our wiki\"\nServer "+other.URL+"/\n"+server)
	c.index() // another place, a restored dump
	w.rows(`DELETE FROM crawled_by`)
	w.sets("Project \"our wiki\"\nServer " + other.URL + "/\n" + server)
	w.index() // a database from before
	if got := fmt.Sprint(w.rows(`SELECT kind, name FROM crawled_by`)); got != "[project our wiki]" {
		t.Errorf("remembered: %s", got)
	}
	w.sets("Project test\nServer " + other.URL + "/\n" + server)
	w.stopped(nil, "sets.cnf (project test) does not belong to the database ", "which project our wiki crawls")
	w.sets("Server " + other.URL + "/\n" + server)
	w.stopped(nil, "sets.cnf (host 127.0.0.1, host 127.0.0.2) does not belong")
	w.sets("Project test\nServer " + other.URL + "/\n" + server)
	w.index("--adopt")
	w.index()
}

// TestFirstLineNamesTheDatabase verifies that a run begins with the name of its database, on standard error and without the
// password.
func TestFirstLineNamesTheDatabase(t *testing.T) {
	t.Parallel()
	site := forest(t, 1)
	w := newWorld(t, "Server "+site.URL+"/\n")
	for _, args := range [][]string{nil, {"-D"}, {"-T", site.URL + "/"}} {
		code, out, errOut := w.try(args...)
		first, _, _ := strings.Cut(errOut, "\n")
		if code != exitDone || !strings.Contains(first, "msg=database name=\""+w.one(`SELECT current_database()`)+" on ") || strings.Contains(out, "msg=") {
			t.Errorf("index %v: exit %d, first line %s", args, code, first)
		}
	}
	w.write("spider.cnf", "DBAddr postgres://spider:hunter2@127.0.0.1:1/web\n")
	if _, _, errOut := w.try(); !strings.Contains(errOut, "name=\"web on 127.0.0.1:1\"") || strings.Contains(errOut, "hunter2") {
		t.Errorf("%s", errOut)
	}
}
