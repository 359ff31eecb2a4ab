-- The rows of ledger_files new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.file_no, t.sha256, t.population, t.name, t.format, t.profile, t.accounts, t.statements, t.rows_read, t.rows_new, t.totals,
    t.expected, t.proof_state, t.proof_detail, t.imported_at, t.imported_by
FROM ledger_files t
/*new*/
ORDER BY t.file_no
