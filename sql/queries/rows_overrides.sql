-- The rows of overrides new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.override_no, t.kind, t.subject, t.reason, t.decided_by, t.decided_at, t.file_no, t.recorded_at
FROM overrides t
/*new*/
ORDER BY t.override_no
