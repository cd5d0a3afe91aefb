-- The answers of sites for an address that cannot exist: pages that equal such an answer are soft 404s (status 905).
--
-- Locks nothing that is in use. No URL is visited anew.

-- +goose Up
CREATE TABLE soft404_probe (
    site_id  integer PRIMARY KEY,
    url      text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    status   smallint NOT NULL DEFAULT 0,
    crc      text NOT NULL DEFAULT '',
    size     bigint NOT NULL DEFAULT 0,
    links    integer NOT NULL DEFAULT 0,
    words    bytea NOT NULL DEFAULT ''
);
COMMENT ON TABLE soft404_probe IS 'What each site answered for an address that cannot exist, asked when two of its pages were equal, at most once in a Period. When the answer was 200, pages that equal it are soft 404s: they get status 905.';
COMMENT ON COLUMN soft404_probe.site_id IS 'The site.';
COMMENT ON COLUMN soft404_probe.url IS 'The address. It is in no other table.';
COMMENT ON COLUMN soft404_probe.asked_at IS 'When it was asked for. 1970 = the request was not sent.';
COMMENT ON COLUMN soft404_probe.status IS 'Extended status of the answer. 200 = the site has soft 404s. 0 = not known yet.';
COMMENT ON COLUMN soft404_probe.crc IS 'MD5 of the body of a 200.';
COMMENT ON COLUMN soft404_probe.size IS 'Its size in bytes.';
COMMENT ON COLUMN soft404_probe.links IS 'Number of its links.';
COMMENT ON COLUMN soft404_probe.words IS 'Hashes of the words of its title and text, in their order, four bytes each. Empty when it has too many.';

COMMENT ON COLUMN urlword.status IS 'Extended status: 0 not fetched yet, 100-599 HTTP, 600-699 header error, 700-799 no answer, 800-899 cannot be read, 903 infinite space, 905 not found, answered with 200. 65536 and above = lost document, packed: see status_base, status_lost, status_lost_count.';

-- +goose Down
COMMENT ON COLUMN urlword.status IS 'Extended status: 0 not fetched yet, 100-599 HTTP, 600-699 header error, 700-799 no answer, 800-899 cannot be read, 903 infinite space. 65536 and above = lost document, packed: see status_base, status_lost, status_lost_count.';
DROP TABLE soft404_probe;
