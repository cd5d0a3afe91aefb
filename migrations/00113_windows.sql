-- +goose Up
-- A slow schedule let both windows grow by all that others acknowledged meanwhile. A window has as many schedules as fetchers
-- are live; without any, as many as are open.
CREATE OR REPLACE VIEW sender_window AS
SELECT s.seq, s.attempt, s.fetcher, s.schedule_time, s.deadline, s.status, s.reschedule_count
FROM schedule s
WHERE s.seq >= (SELECT min(seq) FROM schedule WHERE status = 's')
ORDER BY s.seq
LIMIT (SELECT greatest((SELECT count(*) FROM fetcher WHERE heartbeat > now() - interval '30 seconds'),
                       (SELECT count(*) FROM schedule WHERE status = 's')));
COMMENT ON VIEW sender_window IS 'The sender''s window: the schedules from the lowest open one on, as many as fetchers are live. Without fetchers, as many as are open.';

CREATE OR REPLACE VIEW receiver_window AS
SELECT j.schedule_seq, j.place, j.url_id, j.status, j.fetched_at
FROM journal j
WHERE j.schedule_seq IN (SELECT seq FROM sender_window);
COMMENT ON VIEW receiver_window IS 'The receiver''s window: results of the schedules of sender_window. They wait until the lowest of these is acknowledged.';

-- +goose Down
CREATE OR REPLACE VIEW sender_window AS
SELECT seq, attempt, fetcher, schedule_time, deadline, status, reschedule_count
FROM schedule
WHERE seq >= coalesce((SELECT min(seq) FROM schedule WHERE status = 's'), (SELECT max(seq) + 1 FROM schedule));
COMMENT ON VIEW sender_window IS 'The sender''s window: schedules from the lowest open one on.';

CREATE OR REPLACE VIEW receiver_window AS
WITH low AS MATERIALIZED (SELECT min(seq) AS seq FROM schedule WHERE status = 's')
SELECT j.schedule_seq, j.place, j.url_id, j.status, j.fetched_at
FROM journal j CROSS JOIN low
WHERE j.schedule_seq >= low.seq;
COMMENT ON VIEW receiver_window IS 'The receiver''s window: results that wait for an earlier schedule.';
