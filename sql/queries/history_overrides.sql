-- What had been accepted against the rules when a run was made.
-- No parameters; the mark stands for the cut. In the order of recording.
SELECT t.kind, t.subject, t.reason, t.decided_by, t.decided_at
FROM overrides t
/*new*/
ORDER BY t.override_no
