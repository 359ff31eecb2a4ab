-- What should not be there: outcomes without an attempt, and firings of which nothing could be read.
-- $1 timestamptz  observed or received from here on
-- One row.
SELECT (SELECT count(*) FROM transfer_outcomes o
            WHERE o.observed_at >= $1 AND NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = o.attempt_id)) AS orphans,
       (SELECT count(*) FROM hook_deliveries h WHERE h.received_at >= $1 AND h.attempt_id LIKE 'lost:%') AS lost
