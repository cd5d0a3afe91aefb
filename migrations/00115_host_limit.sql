-- Hosts that limit the rate of requests: the delay between two requests to them, and the pause that they asked for.

-- +goose Up
CREATE TABLE host_limit (
    host        text PRIMARY KEY,
    delay_ms    integer NOT NULL DEFAULT 0 CHECK (delay_ms >= 0),
    refusals    integer NOT NULL DEFAULT 0 CHECK (refusals >= 0),
    pause_until timestamptz NOT NULL DEFAULT '-infinity',
    status      smallint NOT NULL,
    url         text NOT NULL DEFAULT '',
    refused_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE host_limit IS 'Hosts that limit the rate of requests: a row from the first refusal (429, or 503) until the host is asked without a delay again. Written by the crawl and by index -T.';
COMMENT ON COLUMN host_limit.host IS 'Host name, as in sitestate.';
COMMENT ON COLUMN host_limit.delay_ms IS 'Milliseconds between two requests to the host. A refusal doubles it; answers make it shorter again.';
COMMENT ON COLUMN host_limit.refusals IS 'URLs that were refused since the last answer of another kind, or how often one of them was. Each doubles the pause.';
COMMENT ON COLUMN host_limit.pause_until IS 'No request to the host starts before this time, which sitestate.ready_at has, too. A run waits for it at most 5 minutes; what is left then stays due.';
COMMENT ON COLUMN host_limit.status IS 'The last refusal: 429 or 503.';
COMMENT ON COLUMN host_limit.url IS 'The URL that was refused last.';
COMMENT ON COLUMN host_limit.refused_at IS 'Time of the last refusal.';

-- +goose Down
DROP TABLE host_limit;
