-- Of which attempts an outcome was recorded that a run could not see, and whether no such attempt is recorded.
-- No parameters; the mark stands for the cut. In no order; served by transfer_outcome_history_recorded_xid.
SELECT t.attempt_id, NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = t.attempt_id) AS orphan
FROM (SELECT DISTINCT t.attempt_id FROM transfer_outcome_history t WHERE true /*new t*/) t
