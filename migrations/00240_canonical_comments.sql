-- +goose Up
-- The comments about canonical pages say directly what a column has.

COMMENT ON COLUMN urlstate.unavailable_after IS 'When the document is treated like one with noindex from: the earlier date of unavailable_after in its X-Robots-Tag header and META robots. NULL = there is none.';
COMMENT ON COLUMN urlstate.canonical IS 'The canonical URL that the page names. 0 = none, or the page itself. -1 = a URL that is not followed (canonical_cause).';
COMMENT ON COLUMN urlstate.canonical_run IS 'The run in which the page came into the index and named this URL. During that run the page does not count as one that the site loses. 0 = the page was in the index before it named the URL.';
COMMENT ON COLUMN urlstate.canonical_cause IS 'The canonical URL that is not followed, and the reason. Empty = the URL is followed, or there is none.';
COMMENT ON COLUMN site_hold.days IS 'Number of days (UTC) on which the cause was seen. Only for the reasons redirects and canonical.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: the largest number of documents that redirected, or named another page, at the same time.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: the largest number of documents that redirected, or named another page, at the same time.';
COMMENT ON VIEW canonical_pages IS 'Pages that name another page as the canonical one. A page with status 906 is united with it: searches find only the canonical page.';
COMMENT ON COLUMN canonical_pages.status IS 'Extended status of the page. 906 = united, 200 = not united, or not yet; index --explain says why.';
COMMENT ON COLUMN canonical_pages.canonical IS 'The canonical URL that the page names.';
COMMENT ON COLUMN canonical_pages.canonical_status IS 'Extended status of the canonical URL.';

-- +goose Down
COMMENT ON COLUMN urlstate.unavailable_after IS 'From when on the document is treated as one that says noindex: unavailable_after of its X-Robots-Tag header or META robots, the earlier one. NULL = it says none.';
COMMENT ON COLUMN urlstate.canonical IS 'The URL that the page names as its canonical one. 0 = none, or itself. -1 = one that is not followed (canonical_cause).';
COMMENT ON COLUMN urlstate.canonical_run IS 'The run in which the document came into the index with that. Until the next run it does not count as one that would be taken out. 0 = it was there before.';
COMMENT ON COLUMN urlstate.canonical_cause IS 'Which URL it names and why that is not followed. Empty = it is followed, or there is none.';
COMMENT ON COLUMN site_hold.days IS 'On how many days (UTC) the cause was seen; only for the reasons redirects and canonical.';
COMMENT ON COLUMN site_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: documents that redirected, or named another page, at the same time, at most.';
COMMENT ON COLUMN sites_on_hold.turned_lost IS 'Documents that became lost in the run before the hold. For the reasons redirects and canonical: documents that redirected, or named another page, at the same time, at most.';
COMMENT ON VIEW canonical_pages IS 'Pages that name another page as the canonical one. With status 906 they are united with it: searches find the canonical page alone.';
COMMENT ON COLUMN canonical_pages.status IS 'Extended status of the page: 906 = united, 200 = not, or not yet; index --explain says why.';
COMMENT ON COLUMN canonical_pages.canonical IS 'The URL that it names.';
COMMENT ON COLUMN canonical_pages.canonical_status IS 'Extended status of that URL.';
