-- The recorded firings before the call of attempts.
-- $1 text[]  attempt ids
-- By attempt and time; served by hook_deliveries_attempt.
SELECT h.attempt_id, h.received_at, h.args_sha256
FROM hook_deliveries h
WHERE h.attempt_id = ANY ($1) AND h.phase IS DISTINCT FROM 'post' /*visible h*/
ORDER BY h.attempt_id, h.received_at, h.delivery_no
