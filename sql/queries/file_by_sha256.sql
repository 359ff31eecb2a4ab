-- The file with these bytes, if it was imported.
-- $1 text  population, $2 text  SHA-256 in lower-case hex
-- At most one row; served by the unique index on (population, sha256).
SELECT f.file_no, f.name, f.sha256, f.population, f.format, f.profile, f.accounts, f.statements, f.rows_read, f.rows_new, f.totals,
    f.expected, f.proof_state, f.proof_detail, f.imported_at, f.imported_by
FROM ledger_files f
WHERE f.population = $1 AND f.sha256 = $2
