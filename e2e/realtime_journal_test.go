package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// TestMergeWaitsForWhatRealtimeShows verifies that a merge waits for the commit of an index -T that is
// indexing the version the merge is about to take over, and then removes the document from the real-time
// index.
func TestMergeWaitsForWhatRealtimeShows(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	w := newWorld(t, "Server "+site.URL+"/\n")
	site.HTML("/", "apple pie")
	w.index("--no-merge")
	for _, slow := range []string{
		`CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3); RETURN NEW; END $$`,
		`CREATE TRIGGER slowly BEFORE UPDATE OF last_index_time ON urlword FOR EACH ROW EXECUTE FUNCTION slowly()`,
	} {
		if _, err := w.pool.Exec(t.Context(), slow); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan string, 1)
	go func() {
		code, out, errOut := w.try("-T", site.URL+"/")
		done <- fmt.Sprintf("exit %d\n%s%s", code, out, errOut)
	}()
	for w.one(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`) == "0" {
		time.Sleep(time.Millisecond)
	}
	w.index("-D")
	if told := <-done; !strings.HasPrefix(told, "exit 0\n") {
		t.Errorf("-T: %s", told)
	}
	w.finds("merged", map[string]string{"apple": "/"})
	w.merged()
}
