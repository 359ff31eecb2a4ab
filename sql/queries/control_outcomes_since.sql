-- How many attempts have an outcome and had none that a run could see.
-- No parameters; the marks stand for the cuts. One row; served by the index on recorded_xid and transfer_outcome_history_attempt.
SELECT count(*) AS outcomes
FROM (SELECT DISTINCT t.attempt_id FROM transfer_outcome_history t WHERE true /*new t*/) fresh
WHERE NOT EXISTS (SELECT FROM transfer_outcome_history h WHERE h.attempt_id = fresh.attempt_id /*old h*/)
