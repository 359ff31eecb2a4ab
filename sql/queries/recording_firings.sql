-- The firings that a recorder received in a period, each of which has an id that the recorder made: how many, how many were
-- written down later than they were received by more than a span, by how much at the most, and of how many nothing could be read.
-- $1 timestamptz  start of the period, NULL = none; $2 timestamptz  its end (excluded), NULL = none; $3 interval  the span
-- One row.
SELECT count(*) AS firings, count(*) FILTER (WHERE late) AS late,
    coalesce((extract(epoch FROM max(h.recorded_at - h.received_at) FILTER (WHERE late)) * 1000000)::bigint, 0) AS longest,
    count(*) FILTER (WHERE h.attempt_id LIKE 'lost:%') AS lost
FROM hook_deliveries h
CROSS JOIN LATERAL (SELECT h.recorded_at - h.received_at > $3 AS late) delay
WHERE h.delivery_id IS NOT NULL AND (h.received_at >= $1 OR $1 IS NULL) AND (h.received_at < $2 OR $2 IS NULL) /*visible h*/
