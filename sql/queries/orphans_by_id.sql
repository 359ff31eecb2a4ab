-- The current outcomes of these attempts where no such attempt is recorded: the latest version in the history.
-- $1 text[]  attempt ids, each once
-- By attempt id; served by the primary key of transfer_attempts and transfer_outcome_history_attempt, and by one scan of each
-- where they are not there.
SELECT DISTINCT ON (h.attempt_id) h.attempt_id, h.status, h.provider_ref, h.error, h.args_sha256, h.observed_at
FROM unnest($1::text[]) AS wanted (attempt_id)
JOIN transfer_outcome_history h USING (attempt_id)
WHERE NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = wanted.attempt_id /*visible a*/) /*visible h*/
ORDER BY h.attempt_id, h.observed_at DESC, h.version_no DESC
