-- The attempts that a run could not see.
-- No parameters; the mark stands for the cut. In no order; served by transfer_attempts_recorded_xid.
SELECT t.attempt_id FROM transfer_attempts t WHERE true /*new t*/
