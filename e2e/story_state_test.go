package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgseek/pgseek/store"
)

// storySections are the sections of a step that are read from tables: the subject of a line, and the line. A
// time is written between two @, as seconds since 1970, a status between two #, as in urlword.
var storySections = []struct{ name, query string }{
	{"rules", `
		SELECT pg_temp.path(url), format('%s %s, #%s# -> #%s#%s', rule, result, old_status, new_status, pg_temp.note(', ', cause))
		FROM crawl_history JOIN urlword USING (url_id) WHERE run_id > $1 ORDER BY 1, at, slot`},
	{"pages", ""}, // of the records, as a test of a transition compares them
	{"found", `
		SELECT w.word, string_agg(pg_temp.path(p.url), ' ' ORDER BY pg_temp.path(p.url)) FROM wordurl w, word_postings(w.word) p
		GROUP BY 1 ORDER BY 2, 1`},
	{"cited", `
		SELECT pg_temp.path(w.url), 'by ' || (SELECT string_agg(pg_temp.path(f.url), ' ' ORDER BY pg_temp.path(f.url)) FROM urlword f
			WHERE f.url_id = ANY (c.referrers))
		FROM citation c JOIN urlword w USING (url_id) ORDER BY 2, 1`},
	{"chains", `SELECT pg_temp.path(url), format('%s redirects to %s, %s%s', redirects, pg_temp.path(last_url), last_status,
			CASE WHEN looped THEN ', looped' ELSE '' END) FROM redirect_chains ORDER BY 1`},
	{"waiting", `
		SELECT pg_temp.path(w.url), x.what FROM (
			SELECT url_id, seq, 'journal ' || status || CASE WHEN same_content THEN ', same content' ELSE '' END FROM journal
			UNION ALL SELECT url_id, seq, 'mark ' || reason FROM markdel) x (url_id, seq, what) JOIN urlword w USING (url_id)
		ORDER BY x.seq, x.what`},
	{"site", `
		SELECT x.who, x.what FROM (
			SELECT 0, 'gate', format('%s; %s of %s live turned lost, %s of %s start URLs failed', gate, turned_lost, live, starts_failed, starts)
			FROM sitestate WHERE gate <> 'a' OR turned_lost > 0 OR starts_failed > 0
			UNION ALL SELECT hold_id, 'hold', format('%s; %s (%s); %s of %s turned lost; begun @%s@; %s', reason, pg_temp.path(url), cause, turned_lost,
				live, extract(epoch FROM held_at)::bigint, coalesce(ended_by || ' @' || extract(epoch FROM ended_at)::bigint || '@', 'lasts'))
			FROM site_hold JOIN urlword USING (url_id)) x (n, who, what) ORDER BY n`},
	{"orphans", `SELECT pg_temp.path(url), 'since @' || extract(epoch FROM since)::bigint || '@' FROM orphans ORDER BY 1`},
}

// storyFunctions are SQL functions that the queries use. They last as long as their session.
const storyFunctions = `
	CREATE FUNCTION pg_temp.path(url text) RETURNS text LANGUAGE sql AS $f$ SELECT regexp_replace(url, '^https?://[^/]*', '') $f$;
	CREATE FUNCTION pg_temp.note(lead text, what text) RETURNS text LANGUAGE sql AS $f$ SELECT lead || nullif(what, '') $f$`

// state returns the lines that sees compares.
func (s *scenario) state() (lines []string) {
	s.t.Helper()
	section := func(name string, rows [][2]string) {
		if len(rows) > 0 {
			lines = append(append(lines, name), together(rows)...)
		}
	}
	section("asked", s.asked())
	records := s.read.all()
	for _, x := range storySections {
		if x.name == "pages" {
			section(x.name, s.pages(records))
			continue
		}
		section(x.name, s.section(x.query))
	}
	return lines
}

// asked returns the requests by path. A story does not depend on the order of registered URLs.
func (s *scenario) asked() (list [][2]string) {
	for _, r := range s.site.Requests() {
		path := r.Path
		if r.Conditional() {
			path = "~" + path
		}
		list = append(list, [2]string{path, fmt.Sprint(r.Status)})
	}
	slices.SortStableFunc(list, func(a, b [2]string) int { return cmp.Compare(sortKey(a[0]), sortKey(b[0])) })
	return list
}

// sortKey puts robots.txt first.
func sortKey(path string) string {
	if path = strings.TrimPrefix(path, "~"); path == "/robots.txt" {
		return ""
	}
	return path
}

// section reads the rows of a section.
func (s *scenario) section(query string) [][2]string {
	s.t.Helper()
	var args []any
	if strings.Contains(query, "$1") {
		args = append(args, s.lastRun)
	}
	found, err := s.conn.Query(s.t.Context(), query, args...)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, query)
	}
	list, err := pgx.CollectRows(found, func(row pgx.CollectableRow) (line [2]string, err error) {
		err = row.Scan(&line[0], &line[1])
		return line, err
	})
	if err != nil {
		s.t.Fatalf("%v\n%s", err, query)
	}
	for i := range list {
		list[i][1] = loopback.ReplaceAllString(list[i][1], "HOST")
		list[i][1] = storyTime.ReplaceAllStringFunc(list[i][1], func(at string) string { return inProse(s.read.epoch(number(at))) })
		list[i][1] = storyStatus.ReplaceAllStringFunc(list[i][1], func(packed string) string { return packedText(store.Status(number(packed))) })
	}
	return list
}

var storyTime, storyStatus = regexp.MustCompile(`@-?\d+@`), regexp.MustCompile(`#\d+#`)

// number returns the number between the two marks of a time or a status.
func number(marked string) int64 {
	n, err := strconv.ParseInt(strings.Trim(marked, "@#"), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// pages describes each record in a line.
func (s *scenario) pages(records map[string]*record) (rows [][2]string) {
	s.t.Helper()
	dates := map[string]string{}
	for _, row := range s.section(`
		SELECT pg_temp.path(url), 'dates @' || extract(epoch FROM created)::bigint || '@, @' || extract(epoch FROM modified)::bigint || '@' ||
			CASE modified_from WHEN 'fetch' THEN '' ELSE ' ' || modified_from END
		FROM docdates JOIN urlword USING (url_id)`) {
		dates[row[0]] = row[1]
	}
	for _, path := range slices.Sorted(maps.Keys(records)) {
		var line []string
		tell := func(lead, what string) {
			if what != "" {
				line = append(line, lead+what)
			}
		}
		r := records[path]
		state := r.State
		if state == nil {
			state = &stateRow{}
		}
		if r.URL.Deleted {
			tell("withdrawn by ", state.WithdrawnBy)
		}
		tell("", r.URL.Status)
		tell("clone of ", r.URL.Origin)
		tell("to ", r.URL.Redir)
		switch c := r.Content; {
		case c == nil:
		case c.Deleted != r.URL.Deleted:
			tell("content row", " disagrees")
		case c.Body == noBody:
			tell("link", " row")
		default:
			tell(fmt.Sprint(c.WordCount), " words")
		}
		answered := inProse(r.URL.LastIndex)
		if answered == "0" {
			answered = "never"
		}
		tell("answered ", answered)
		why := ""
		if state.NextWhy != "" {
			why = ": " + state.NextWhy
		}
		tell("due ", inProse(r.URL.Next)+why)
		if state.Errors > 0 {
			tell(state.Class+" ", fmt.Sprint(state.Errors))
		}
		tell("", dates[path])
		rows = append(rows, [2]string{path, strings.Join(line, "; ")})
	}
	return rows
}

// inProse writes a distance of a record in words: "+7d" is "in 7d", "-8d" is "8d ago".
func inProse(distance string) string {
	if after, ok := strings.CutPrefix(distance, "+"); ok {
		return "in " + after
	}
	if before, ok := strings.CutPrefix(distance, "-"); ok && strings.Trim(before, "0123456789") != "" { // no special value
		return before + " ago"
	}
	return distance
}

// together joins successive rows with the same text.
func together(rows [][2]string) (lines []string) {
	for i := 0; i < len(rows); {
		who := rows[i][0]
		j := i + 1
		for ; j < len(rows) && rows[j][1] == rows[i][1]; j++ {
			who += " " + rows[j][0]
		}
		lines = append(lines, who+": "+rows[i][1])
		i = j
	}
	return lines
}
