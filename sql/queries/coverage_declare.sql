-- Adds a range of days to what an imported file is said to cover.
-- $1 text account or NULL, $2 date from, $3 date to (excluded), $4 text population, $5 text SHA-256 of the file,
-- $6 boolean said of reports
INSERT INTO ledger_coverage (account_id, covers_from, covers_to, inferred, file_no, report)
SELECT $1, $2, $3, false, file_no, $6 FROM ledger_files WHERE population = $4 AND sha256 = $5
