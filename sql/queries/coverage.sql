-- The ranges over which the ledger is complete, each with the file that says so.
-- No parameters. By account (none first), from, to, file.
SELECT coalesce(c.account_id, '') AS account_id, c.covers_from, c.covers_to, c.inferred, f.name, c.report
FROM ledger_coverage c JOIN ledger_files f USING (file_no)
WHERE true /*visible c*/
ORDER BY 1, 2, 3, 5, c.coverage_no
