-- The current outcomes of these attempts where no such attempt is recorded: the latest version in the history.
-- $1 text[]  attempt ids, each once
-- By attempt id; served by the primary key of transfer_attempts and transfer_outcome_history_attempt.
SELECT o.attempt_id, o.status, o.provider_ref, o.error, o.args_sha256, o.observed_at
FROM unnest($1::text[]) AS wanted (attempt_id)
CROSS JOIN LATERAL (
    SELECT h.attempt_id, h.status, h.provider_ref, h.error, h.args_sha256, h.observed_at
    FROM transfer_outcome_history h WHERE h.attempt_id = wanted.attempt_id /*visible h*/
    ORDER BY h.observed_at DESC, h.version_no DESC LIMIT 1) o
WHERE NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = wanted.attempt_id /*visible a*/)
ORDER BY o.attempt_id
