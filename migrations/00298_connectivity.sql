-- Tests of the network: a crawl that finds most start URLs dead ends with the reason outage and changes nothing.

-- +goose Up
ALTER TABLE crawl_control ADD COLUMN connectivity_at timestamptz, ADD COLUMN connectivity_alive integer, ADD COLUMN connectivity_of integer;
COMMENT ON COLUMN crawl_control.connectivity IS 'bad = the last test found the network down (ConnectivityShare), else good.';
COMMENT ON COLUMN crawl_control.connectivity_at IS 'When the network was tested last. NULL = never.';
COMMENT ON COLUMN crawl_control.connectivity_alive IS 'Start URLs that were alive in that test. It ends when they are enough.';
COMMENT ON COLUMN crawl_control.connectivity_of IS 'Start URLs that the test concerned.';
CREATE TABLE connectivity (
    url_id    integer PRIMARY KEY,
    tested_at timestamptz NOT NULL,
    status    integer NOT NULL
);
COMMENT ON TABLE connectivity IS 'Start URLs whose hosts were asked by the last tests of the network. Family: url_id.';
COMMENT ON COLUMN connectivity.url_id IS 'The start URL.';
COMMENT ON COLUMN connectivity.tested_at IS 'When its host was asked last.';
COMMENT ON COLUMN connectivity.status IS 'What the host answered to the request for robots.txt, or for the start URL with Robots no: HTTP status or 600 and higher.';
ALTER TABLE reindexing DROP CONSTRAINT reindexing_end_reason_check;
ALTER TABLE reindexing ADD CONSTRAINT reindexing_end_reason_check
    CHECK (end_reason IN ('complete', 'time', 'limit', 'count', 'stopped', 'paused', 'continue', 'failed', 'outage'));
-- +goose StatementBegin
COMMENT ON COLUMN reindexing.end_reason IS 'complete, time, limit, count (-n), stopped (-E, a signal, a crash), paused, continue (replaced by --takeover), outage (the network was down) or failed.';
-- +goose StatementEnd

-- +goose Down
UPDATE reindexing SET end_reason = 'stopped' WHERE end_reason = 'outage';
-- +goose StatementBegin
COMMENT ON COLUMN reindexing.end_reason IS 'complete, time, limit, count (-n), stopped (-E, a signal, a crash), paused, continue (replaced by --takeover) or failed.';
-- +goose StatementEnd
ALTER TABLE reindexing DROP CONSTRAINT reindexing_end_reason_check;
ALTER TABLE reindexing ADD CONSTRAINT reindexing_end_reason_check
    CHECK (end_reason IN ('complete', 'time', 'limit', 'count', 'stopped', 'paused', 'continue', 'failed'));
DROP TABLE connectivity;
UPDATE crawl_control SET connectivity = 'good';
COMMENT ON COLUMN crawl_control.connectivity IS 'bad = the network is considered down. Always good in this version.';
ALTER TABLE crawl_control DROP COLUMN connectivity_of, DROP COLUMN connectivity_alive, DROP COLUMN connectivity_at;
