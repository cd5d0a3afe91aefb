package crawl

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// MaxURLsPerServerPerIndex: a run requests at most so many URLs of a site. The processes of a run count together, in sitestate, when
// they acknowledge a schedule; until then nobody else has a schedule of the site. Sites at their limit are not leased: their URLs stay
// due for the next run.

// RunLimit limits the URLs of a site that a run requests, beside what SetRunLimits has recorded.
type RunLimit struct {
	Outside int  // of sites that no Server line names; 0 = any number
	Counts  bool // some site has a limit
}

// leftSQL is how many URLs of a site s the run may still request, NULL = any number. The parameters are the run and Outside.
func leftSQL(s, run, outside string) string {
	return `(nullif(coalesce(` + s + `.run_limit, ` + outside + `::integer), 0) - CASE WHEN ` + s + `.counted_run = ` + run + `::integer THEN ` + s + `.counted ELSE 0 END)`
}

// openSiteSQL is the condition that a site s is below its limit.
func openSiteSQL(s, run, outside string) string {
	return `(` + leftSQL(s, run, outside) + ` <= 0) IS NOT TRUE`
}

var setRunLimitsSQL = [...]string{
	`UPDATE /* store.SetRunLimits */ sitestate SET run_limit = NULL
	WHERE run_limit IS NOT NULL AND site_id NOT IN (SELECT w.site_id FROM sites w WHERE w.site = ANY($1))`,
	`UPDATE /* store.SetRunLimits */ sitestate s SET run_limit = l.n
	FROM unnest($1::text[], $2::integer[]) l (site, n) JOIN sites w ON w.site = l.site
	WHERE w.site_id = s.site_id AND s.run_limit IS DISTINCT FROM l.n`,
}

// SetRunLimits records the limits of the sites that Server lines name, 0 for none.
func (s *Store) SetRunLimits(ctx context.Context, limits map[string]int) error {
	sites, numbers := []string{}, []int{}
	for site, n := range limits {
		sites, numbers = append(sites, site), append(numbers, n)
	}
	return s.InTx(ctx, "set run limits", func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(`SELECT 1 FROM sitestate WHERE site_id IN (SELECT w.site_id FROM sites w WHERE w.site = ANY($1)) OR run_limit IS NOT NULL
			ORDER BY site_id FOR UPDATE`, sites)
		b.Queue(setRunLimitsSQL[0], sites)
		b.Queue(setRunLimitsSQL[1], sites, numbers)
		return tx.SendBatch(ctx, &b).Close()
	})
}
