package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// storySections are the sections of a chapter that come from tables: of whom a line tells, and what. A time stands between
// two @, as seconds since 1970.
var storySections = []struct{ name, query string }{
	{"rules", `
		SELECT pg_temp.path(url), format('%s %s, %s -> %s%s', rule, result, pg_temp.status(old_status), pg_temp.status(new_status), pg_temp.note(', ', cause))
		FROM crawl_history JOIN urlword USING (url_id) WHERE run_id > $1 ORDER BY 1, at, slot`},
	{"pages", `
		SELECT pg_temp.path(w.url), concat_ws('; ',
			pg_temp.note('withdrawn by ', CASE WHEN w.deleted = 1 THEN s.withdrawn_by ELSE '' END),
			pg_temp.status(w.status),
			pg_temp.note('clone of ', (SELECT pg_temp.path(url) FROM urlword o WHERE o.url_id = w.origin)),
			pg_temp.note('to ', (SELECT pg_temp.path(url) FROM urlword o WHERE o.url_id = w.redir)),
			CASE WHEN c.deleted <> w.deleted THEN 'content row disagrees'
				WHEN c.url_id IS NOT NULL THEN CASE WHEN c.words IS NULL THEN 'link row' ELSE c.wordcount || ' words' END END,
			'answered ' || CASE w.last_index_time WHEN 0 THEN 'never' ELSE '@' || w.last_index_time || '@' END,
			'due @' || w.next_index_time || '@' || pg_temp.note(': ', coalesce(s.next_why, '')),
			CASE WHEN s.error_count > 0 THEN s.error_class || ' ' || s.error_count END,
			'dates @' || extract(epoch FROM d.created)::bigint || '@, @' || extract(epoch FROM d.modified)::bigint || '@' ||
				CASE d.modified_from WHEN 'fetch' THEN '' ELSE ' ' || d.modified_from END)
		FROM urlword w LEFT JOIN urlwords c USING (url_id) LEFT JOIN urlstate s USING (url_id) LEFT JOIN docdates d USING (url_id)
		ORDER BY pg_temp.path(w.url)`},
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

// storyFunctions are what the queries are written with. They last as long as their session.
const storyFunctions = `
	CREATE FUNCTION pg_temp.path(url text) RETURNS text LANGUAGE sql AS $f$ SELECT regexp_replace(url, '^https?://[^/]*', '') $f$;
	CREATE FUNCTION pg_temp.note(lead text, what text) RETURNS text LANGUAGE sql AS $f$ SELECT lead || nullif(what, '') $f$;
	CREATE FUNCTION pg_temp.status(s integer) RETURNS text LANGUAGE sql AS
		$f$ SELECT status_base(s) || CASE WHEN s >= 65536 THEN format(' lost %s x%s', status_lost(s), status_lost_count(s)) ELSE '' END $f$`

// state is what sees compares, line by line.
func (s *tale) state() (lines []string) {
	s.t.Helper()
	section := func(name string, rows [][2]string) {
		if len(rows) > 0 {
			lines = append(append(lines, name), together(rows)...)
		}
	}
	section("asked", s.asked())
	for _, x := range storySections {
		section(x.name, s.section(x.query))
	}
	return lines
}

// asked are the requests, by path: which of the known URLs goes first is no part of a story.
func (s *tale) asked() (list [][2]string) {
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

// section reads the rows of one.
func (s *tale) section(query string) [][2]string {
	s.t.Helper()
	var args []any
	if strings.Contains(query, "$1") {
		args = append(args, s.told)
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
	now := time.Now()
	for i := range list {
		list[i][1] = loopback.ReplaceAllString(list[i][1], "HOST")
		list[i][1] = storyTime.ReplaceAllStringFunc(list[i][1], func(at string) string { return fromNow(now, strings.Trim(at, "@")) })
	}
	return list
}

var storyTime = regexp.MustCompile(`@-?\d+@`)

// fromNow tells a time by its distance, to five minutes.
func fromNow(now time.Time, seconds string) string {
	var at int64
	if _, err := fmt.Sscan(seconds, &at); err != nil {
		panic(err)
	}
	switch {
	case at <= 0:
		return seconds
	case at == 1<<62:
		return "never"
	}
	d := time.Unix(at, 0).Sub(now).Round(5 * time.Minute)
	switch {
	case d > 0:
		return "in " + storySpan(d)
	case d < 0:
		return storySpan(-d) + " ago"
	}
	return "now"
}

func storySpan(d time.Duration) string {
	var b strings.Builder
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if n := d / unit.length; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			d -= n * unit.length
		}
	}
	return b.String()
}

// together joins rows that follow each other and say the same.
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
