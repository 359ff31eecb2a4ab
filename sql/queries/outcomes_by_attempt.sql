-- Every version of the outcomes of these attempts.
-- $1 text[]  attempt ids, each once
-- By attempt, then oldest first; served by transfer_outcome_history_attempt.
SELECT h.attempt_id, h.status, h.provider_ref, h.error, h.args_sha256, h.observed_at
FROM unnest($1::text[]) AS wanted (attempt_id)
JOIN transfer_outcome_history h USING (attempt_id)
WHERE true /*visible h*/
ORDER BY h.attempt_id, h.observed_at, h.version_no
