-- Of which attempts a delivery was recorded that a run could not see.
-- No parameters; the mark stands for the cut. In no order; served by hook_deliveries_recorded_xid.
SELECT DISTINCT t.attempt_id FROM hook_deliveries t WHERE t.phase IS DISTINCT FROM 'post' /*new t*/
