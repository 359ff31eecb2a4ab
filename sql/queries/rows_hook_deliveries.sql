-- The rows of hook_deliveries new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. In no order; cut by the index on recorded_xid where there is one.
SELECT t.delivery_no, t.attempt_id, t.received_at, t.args_sha256, t.event, t.harness, t.payload_sha256, t.recorded_at
FROM hook_deliveries t
/*new*/
