-- Endless sites: the patterns of URLs, and those of which no new URLs are fetched.

-- +goose Up
CREATE TABLE paused_pattern (
    pattern   text PRIMARY KEY,
    site_id   integer NOT NULL,
    run_id    integer NOT NULL,
    paused_at timestamptz NOT NULL DEFAULT now(),
    regexp    text NOT NULL,
    example   text NOT NULL,
    fetched   integer NOT NULL
);
COMMENT ON TABLE paused_pattern IS 'URL patterns that the detector of endless sites has paused: their documents stay, their new URLs are not fetched. A NeverPause line of sets.cnf that matches the example lifts the pause.';
COMMENT ON COLUMN paused_pattern.pattern IS 'The pattern: {n} is a number, {id} a digest or session id, /** everything below a folder, and a key of the query stands for all its values.';
COMMENT ON COLUMN paused_pattern.site_id IS 'The site.';
COMMENT ON COLUMN paused_pattern.run_id IS 'The run that paused it.';
COMMENT ON COLUMN paused_pattern.paused_at IS 'When it was paused.';
COMMENT ON COLUMN paused_pattern.regexp IS 'The pattern as a regular expression, for a line of sets.cnf.';
COMMENT ON COLUMN paused_pattern.example IS 'A URL of the pattern.';
COMMENT ON COLUMN paused_pattern.fetched IS 'Number of pages of the pattern that the process which paused it had fetched in its run.';

-- +goose StatementBegin
CREATE FUNCTION url_pattern(url text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN substring(url FROM '^[^/]*//[^/]*') ||
    regexp_replace(regexp_replace(regexp_replace(coalesce(substring(url FROM '^[^/]*//[^/]*(/.*)$'), ''),
        '(?<![0-9A-Za-z])[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Za-z])', '{id}', 'g'),
        '(?<![0-9A-Za-z])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])([0-9A-Fa-f]{8,}|[0-9A-Za-z]{20,})(?![0-9A-Za-z])', '{id}', 'g'),
        '(?<!%)(?<!%[0-9A-F])[0-9]+', '{n}', 'g');
-- +goose StatementEnd
COMMENT ON FUNCTION url_pattern(text) IS 'A URL in which numbers are {n}, and digests, UUIDs and other long identifiers are {id}.';

CREATE VIEW url_patterns AS
SELECT s.site, p.pattern, p.known, p.fetched, p.contents
FROM (
    SELECT site_id, url_pattern(url) AS pattern, count(*) AS known,
           count(*) FILTER (WHERE status <> 0) AS fetched,
           count(DISTINCT crc) FILTER (WHERE crc <> '') AS contents
    FROM urlword
    GROUP BY site_id, url_pattern(url)
) p JOIN sites s ON s.site_id = p.site_id;
COMMENT ON VIEW url_patterns IS 'The URLs of each site by their pattern: what multiplies stands out when it is sorted by known. It reads all of urlword.';
COMMENT ON COLUMN url_patterns.site IS 'The site.';
COMMENT ON COLUMN url_patterns.pattern IS 'The URL with numbers as {n} and identifiers as {id}.';
COMMENT ON COLUMN url_patterns.known IS 'Number of registered URLs.';
COMMENT ON COLUMN url_patterns.fetched IS 'Those of them that were fetched.';
COMMENT ON COLUMN url_patterns.contents IS 'Number of distinct bodies among them, links included: equal texts with different links count twice.';

-- +goose Down
DROP VIEW url_patterns;
DROP FUNCTION url_pattern(text);
DROP TABLE paused_pattern;
