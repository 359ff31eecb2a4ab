-- The rows of hook_deliveries new to a run, in every column that says something.
-- The columns of migration 0005 go with event, so that rows from before it read as they did when runs digested them. What
-- event says then cannot be mistaken for another row's: an array begins with a bracket, and nothing else does.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.delivery_no, t.attempt_id, t.received_at, t.args_sha256,
    CASE WHEN num_nulls(t.delivery_id, t.phase, t.notes) = 3 AND t.event NOT LIKE '[%' OR num_nulls(t.event, t.delivery_id, t.phase, t.notes) = 4
        THEN t.event ELSE jsonb_build_array(t.event, t.delivery_id, t.phase, t.notes)::text END AS event,
    t.harness, t.payload_sha256, t.recorded_at
FROM hook_deliveries t
/*new*/
ORDER BY t.delivery_no
