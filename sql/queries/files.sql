-- The imported files.
-- No parameters. In import order.
SELECT f.file_no, f.name, f.sha256, f.population, f.format, f.profile, f.accounts, f.statements, f.rows_read, f.rows_new, f.totals,
    f.expected, f.proof_state, f.proof_detail, f.imported_at, f.imported_by
FROM ledger_files f
WHERE true /*visible f*/
ORDER BY f.file_no
