-- The current outcomes whose attempt id no attempt has.
-- No parameters. By attempt id; an anti-join of the two primary keys.
SELECT o.attempt_id, o.status, o.provider_ref, o.error, o.args_sha256, o.observed_at
FROM /*outcomes*/transfer_outcomes o
WHERE NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = o.attempt_id /*visible a*/)
ORDER BY o.attempt_id
