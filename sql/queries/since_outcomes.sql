-- Of which attempts, recorded or not, an outcome was recorded that a run could not see.
-- No parameters; the mark stands for the cut. In no order; served by transfer_outcome_history_recorded_xid.
SELECT DISTINCT t.attempt_id FROM transfer_outcome_history t WHERE true /*new t*/
