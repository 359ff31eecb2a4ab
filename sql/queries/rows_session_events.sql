-- The rows of session_events new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.event_no, t.session_id, t.event, t.at, t.recorded_at
FROM session_events t
/*new*/
ORDER BY t.event_no
