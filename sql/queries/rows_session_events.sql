-- The rows of session_events new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. In no order; cut by the index on recorded_xid where there is one.
SELECT t.event_no, t.session_id, t.event, t.at, t.recorded_at
FROM session_events t
/*new*/
