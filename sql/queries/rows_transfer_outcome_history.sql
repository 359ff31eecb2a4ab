-- The rows of transfer_outcome_history new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.version_no, t.attempt_id, t.status, t.provider_ref, t.observed_at, t.args_sha256, t.error, t.recorded_at
FROM transfer_outcome_history t
/*new*/
ORDER BY t.version_no
