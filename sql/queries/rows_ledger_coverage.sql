-- The rows of ledger_coverage new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.coverage_no, t.account_id, t.covers_from, t.covers_to, t.inferred, t.file_no, t.report
FROM ledger_coverage t
/*new*/
ORDER BY t.coverage_no
