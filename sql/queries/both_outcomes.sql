-- Every version of the outcomes of these attempts, and whether a run could see it.
-- $1 text[]  attempt ids, each once
-- The mark stands for the cut. In no order; served by transfer_outcome_history_attempt.
SELECT h.attempt_id, h.status, h.provider_ref, h.error, h.args_sha256, h.observed_at, h.version_no, true /*old h*/ AS seen
FROM transfer_outcome_history h
WHERE h.attempt_id = ANY ((SELECT $1::text[])::text[])
