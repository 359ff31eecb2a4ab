-- The versions of the outcomes of these attempts that a run could see.
-- $1 text[]  attempt ids, each once
-- The mark stands for the cut. In no order; served by transfer_outcome_history_attempt.
SELECT h.attempt_id, h.status, h.provider_ref, h.error, h.args_sha256, h.observed_at, h.version_no
FROM transfer_outcome_history h
WHERE h.attempt_id = ANY ((SELECT $1::text[])::text[]) /*old h*/
