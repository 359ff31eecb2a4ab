-- The recorded firings of attempts.
-- $1 text[]  attempt ids
-- By attempt and time; served by hook_deliveries_attempt.
SELECT h.attempt_id, h.received_at, h.args_sha256
FROM hook_deliveries h
WHERE h.attempt_id = ANY ($1) /*visible h*/
ORDER BY h.attempt_id, h.received_at, h.delivery_no
