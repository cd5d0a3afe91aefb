package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// histories are the seeds of TestHistories: one in make test, all in make soak. PGSEEK_HISTORIES names seeds in their
// place, such as 17 or 100-200, to repeat what failed.
func histories(t *testing.T) (from, to uint64) {
	if text := os.Getenv("PGSEEK_HISTORIES"); text != "" {
		first, last, found := strings.Cut(text, "-")
		if !found {
			last = first
		}
		var err error
		if from, err = strconv.ParseUint(first, 10, 64); err != nil {
			t.Fatal(err)
		}
		if to, err = strconv.ParseUint(last, 10, 64); err != nil {
			t.Fatal(err)
		}
		return from, to
	}
	if soak() {
		return 1, 500
	}
	return 2, 2 // with the most workers
}

// TestHistories: random webs over random periods, crawled with random options, end after each period in exactly what a model of the
// rules predicts that knows nothing of the program. A failure names the seed: PGSEEK_HISTORIES=seed repeats it.
func TestHistories(t *testing.T) {
	t.Parallel()
	from, to := histories(t)
	for seed := from; seed <= to; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			runHistory(t, seed)
		})
	}
}

// history is one random history.
type history struct {
	*world
	seed   uint64
	random *rand.Rand
	web    *spidertest.Web
	model  *spidertest.Model
	lastID string // of reindexing, before the run that is looked at
}

// runHistory goes through the periods of a seed.
func runHistory(t *testing.T, seed uint64) {
	h := &history{seed: seed, random: rand.New(rand.NewPCG(seed, 5))}
	sites := make([]*spidertest.Site, 1+h.random.IntN(3))
	for i := range sites {
		sites[i] = spidertest.NewSite(t)
	}
	features := chooseFeatures(h.random)
	features.Refusals = seed%8 == 3 // seldom: the others wait for such a page
	features.Canonical = features.Canonical || seed%2 == 0 && os.Getenv("PGSEEK_FEATURES") == ""
	h.web = spidertest.NewWeb(seed, features, sites)
	h.web.Settings.Workers = []int{1, 4, 16}[seed%3]
	h.model = spidertest.NewModel(h.web)
	h.world = newWorld(t, "")
	h.rows(`INSERT INTO subsets (mask) VALUES ('%1%'), ('http://127.%')`) // which the invariants then hold against urlword
	periods := 5 + h.random.IntN(8)
	t.Logf("%d sites, %d pages, %d periods, %d workers, %+v", len(sites), len(h.web.Pages), periods, h.web.Settings.Workers, features)
	for period := range periods {
		if period > 0 {
			h.web.Advance()
			h.wait([]time.Duration{time.Hour, 7 * time.Hour, 25 * time.Hour, 76 * time.Hour, 170 * time.Hour, 23 * 24 * time.Hour}[h.random.IntN(6)])
		}
		if !h.crawl(period, features) {
			return
		}
	}
}

// chooseFeatures says what happens in a history.
func chooseFeatures(random *rand.Rand) (f spidertest.Features) {
	for _, feature := range []*bool{&f.Sweeps, &f.Outside, &f.Modes, &f.DeleteBad, &f.Forced, &f.Respider, &f.StartFails, &f.Purges, &f.Unreachable, &f.Dates, &f.Hops} {
		*feature = random.IntN(2) == 0
	}
	if random.IntN(4) == 0 {
		f.Share, f.StartFails = true, false
	}
	if only := os.Getenv("PGSEEK_FEATURES"); only != "" { // to find out which one it is
		f = spidertest.Features{}
		if err := json.Unmarshal([]byte(only), &f); err != nil {
			panic(err)
		}
	}
	return f
}

// wait lets time pass, a little more where it would be unclear what is due.
func (h *history) wait(d time.Duration) {
	for {
		h.pass(d)
		h.model.Pass(d)
		if !h.model.Unclear() {
			return
		}
		d = 4 * time.Minute
	}
}

// crawl runs index over the present period and compares; false after a mismatch.
func (h *history) crawl(period int, features spidertest.Features) bool {
	h.t.Helper()
	h.sets(h.web.Settings.Sets())
	h.spider(h.web.Settings.Spider())
	h.web.Serve()
	run := spidertest.Run{Mode: spidertest.All}
	var args []string
	if features.Sweeps && h.random.IntN(2) == 0 {
		run.Mode = spidertest.Due
	}
	if features.Respider && h.random.IntN(3) == 0 {
		run.Mode = spidertest.Respider
	}
	switch run.Mode {
	case spidertest.All:
		args = append(args, "-a")
	case spidertest.Respider:
		args = append(args, "--respider")
	default:
	}
	if features.Forced && h.random.IntN(5) == 0 {
		run.Forced = true
		args = append(args, "-m")
	}
	merge := h.random.IntN(3) // 0 at the end of the crawl, 1 with -D, 2 not now
	if merge == 0 && h.model.NearLimit() {
		merge = 1 // what is purged, too, is looked at on its own
	}
	if merge > 0 {
		args = append(args, "--no-merge")
	}
	for i, site := range h.web.Sites {
		if h.model.Held(i) && h.random.IntN(3) == 0 {
			h.index("--release", site.URL+"/")
			h.model.Release(i)
		}
	}
	if h.model.Stops() {
		shown := shownHash.FindStringSubmatch(h.stopped(args))
		if shown == nil {
			h.t.Fatalf("seed %d, period %d, index %s: does not stop for its configuration", h.seed, period, strings.Join(args, " "))
		}
		args = append(args, "--accept-rules="+shown[1])
	}
	h.lastID = h.one(`SELECT coalesce(max(run_id), 0) FROM reindexing`)
	run.Start = time.Now().Truncate(time.Second)
	code, _, log := h.try(slices.Concat(args, []string{"-v"})...)
	if code != exitDone && !noStart(code, log) {
		h.t.Fatalf("index %s: exit %d\n%s", strings.Join(args, " "), code, log)
	}
	run.End = time.Now()
	run.Seen = h.tables()
	what := fmt.Sprintf("seed %d, period %d, index %s", h.seed, period, strings.Join(args, " "))
	h.explain(what, h.model.Crawl(run))
	h.report(what, h.model.Compare(run.Seen))
	h.report(what, h.model.CompareRequests())
	h.check()
	if h.t.Failed() { // who was asked twice may have been given out twice
		h.t.Logf("%s\nschedules issued again:\n%s", log, strings.Join(h.rows(`
			SELECT format('run %s schedule %s of %s: %s, attempt %s', run_id, seq, fetcher, status, attempt) FROM schedule
			WHERE attempt > 1 ORDER BY seq`), "\n"))
	}
	if features.Respider && !h.t.Failed() && h.random.IntN(3) == 0 {
		what += "; --orphans purge"
		start := time.Now().Truncate(time.Second)
		h.index("--orphans", "purge")
		seen := h.tables()
		h.explain(what, h.model.PurgeOrphans(start, time.Now(), seen))
		if merge == 0 {
			merge = 2 // the index still has them
		}
		h.report(what, h.model.Compare(seen))
		h.check()
	}
	if merge == 1 && !h.t.Failed() {
		what += "; -D"
		start := time.Now().Truncate(time.Second)
		h.index("-D")
		seen := h.tables()
		h.explain(what, h.model.Purge(start, time.Now(), seen))
		h.report(what, h.model.Compare(seen))
		h.check()
	}
	if merge < 2 && !h.t.Failed() {
		h.report(what+", merged", h.model.CompareIndex(h.tables()))
	}
	return !h.t.Failed()
}

// explain fails the test for what the model could not explain.
func (h *history) explain(what string, problems []string) {
	h.t.Helper()
	for _, problem := range problems {
		h.t.Errorf("%s: %s", what, problem)
	}
}

// report fails the test for what is not as predicted, each with the URL's history.
func (h *history) report(what string, mismatches []spidertest.Mismatch) {
	h.t.Helper()
	for i, m := range mismatches {
		if i == 10 {
			h.t.Errorf("%s: %d more", what, len(mismatches)-i)
			return
		}
		h.t.Errorf("%s: %s\n\t%s", what, m, strings.Join(h.rows(`
			SELECT '    run ' || run_id || ' ' || rule || ' result ' || result || ', ' || status_base(old_status) || '/' || status_lost(old_status)
				|| ' -> ' || status_base(new_status) || '/' || status_lost(new_status) || ' ' || cause
			FROM crawl_history JOIN urlword USING (url_id) WHERE url = $1 ORDER BY at, slot`, m.URL), "\n\t"))
	}
}

// tables reads what the model predicts.
func (h *history) tables() *spidertest.Tables {
	h.t.Helper()
	t := &spidertest.Tables{URLs: make(map[string]*spidertest.Row), Gates: make(map[int]string), Holds: make(map[int]bool)}
	h.read(&t.URLs, `
		SELECT json_object_agg(w.url, json_build_object(
			'ID', w.url_id, 'Status', w.status, 'Deleted', w.deleted = 1, 'WithdrawnBy', coalesce(s.withdrawn_by, ''),
			'CRC', w.crc, 'ETag', w.etag, 'Modified', w.last_modified, 'Redir', coalesce(r.url, ''), 'Origin', coalesce(o.url, ''),
			'Referrer', coalesce(p.url, ''), 'Hops', w.hops, 'Tag', w.tag, 'Row', c.url_id IS NOT NULL, 'RowDeleted', coalesce(c.deleted = 1, false),
			'Kept', s.kept_since IS NOT NULL, 'Back', coalesce((SELECT h.new_status FROM crawl_history h
				WHERE h.url_id = w.url_id AND h.rule = 'T-15' AND h.run_id > $1::integer ORDER BY h.at DESC LIMIT 1), 0),
			'Hrefs', (SELECT json_agg(t.url ORDER BY t.url COLLATE "C") FROM unnest(c.hrefs) l JOIN urlword t ON t.url_id = l),
			'Indexed', w.last_index_time, 'Next', w.next_index_time, 'Attempted', coalesce(floor(extract(epoch FROM s.last_attempt)), 0)::bigint,
			'ErrorClass', coalesce(s.error_class, ''), 'ErrorCount', coalesce(s.error_count, 0), 'Attempts', coalesce(s.attempts, 0),
			'Mode', coalesce(s.index_mode, 3),
			'Rules', (SELECT json_agg(h.rule ORDER BY h.at, (h.slot + 10 - s.events % 10) % 10) FROM crawl_history h WHERE h.url_id = w.url_id AND h.run_id > $1::integer),
			'Created', coalesce(floor(extract(epoch FROM d.created)), 0)::bigint, 'DateModified', coalesce(floor(extract(epoch FROM d.modified)), 0)::bigint,
			'ModifiedFrom', coalesce(d.modified_from, '')))
		FROM urlword w LEFT JOIN urlstate s USING (url_id) LEFT JOIN urlwords c USING (url_id) LEFT JOIN docdates d USING (url_id)
			LEFT JOIN urlword r ON r.url_id = w.redir LEFT JOIN urlword o ON o.url_id = w.origin LEFT JOIN urlword p ON p.url_id = w.referrer`, h.lastID)
	h.read(&t.Words, `
		SELECT json_object_agg(word, urls) FROM (
			SELECT word, json_agg(p.url ORDER BY p.url COLLATE "C") AS urls FROM wordurl w CROSS JOIN word_postings(w.word) p GROUP BY word) q`)
	h.read(&t.Citation, `
		SELECT json_object_agg(url, urls) FROM (
			SELECT t.url, json_agg(f.url ORDER BY f.url COLLATE "C") AS urls
			FROM citation c JOIN urlword t USING (url_id) CROSS JOIN unnest(c.referrers) r JOIN urlword f ON f.url_id = r GROUP BY t.url) q`)
	var gates map[string]string
	h.read(&gates, `SELECT json_object_agg(site, gate) FROM sitestate JOIN sites USING (site_id)`)
	var holds map[string]bool
	h.read(&holds, `SELECT json_object_agg(site, true) FROM site_hold JOIN sites USING (site_id) WHERE ended_at IS NULL`)
	for i, site := range h.web.Sites {
		if gate, ok := gates[site.URL+"/"]; ok {
			t.Gates[i], t.Holds[i] = gate, holds[site.URL+"/"]
		}
	}
	return t
}

// read reads the one JSON value that a query returns; NULL leaves into as it is.
func (h *history) read(into any, query string, args ...any) {
	h.t.Helper()
	var text []byte
	if err := h.pool.QueryRow(context.Background(), query, args...).Scan(&text); err != nil {
		h.t.Fatalf("%v\n%s", err, query)
	}
	if text == nil {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		h.t.Fatalf("%v\n%s", err, query)
	}
}
