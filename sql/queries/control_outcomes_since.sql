-- How many attempts have an outcome and had none that a run could see.
-- No parameters; the marks stand for the cuts. One row; served by the index on recorded_xid and transfer_outcome_history_attempt.
WITH fresh AS MATERIALIZED (SELECT DISTINCT t.attempt_id FROM transfer_outcome_history t WHERE true /*new t*/)
SELECT (SELECT count(*) FROM fresh) - count(DISTINCT h.attempt_id) AS outcomes
FROM transfer_outcome_history h
WHERE h.attempt_id = ANY (ARRAY(SELECT f.attempt_id FROM fresh f)) /*old h*/
