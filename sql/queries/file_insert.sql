-- Records an imported file.
-- $1 bigint file_no, $2 text sha256, $3 text population, $4 text name, $5 text format, $6 text profile, $7 text[] accounts,
-- $8 json statements, $9 bigint rows read, $10 bigint new rows, $11 json totals, $12 json expected totals, $13 text proof state,
-- $14 text proof detail, $15 timestamptz imported at, $16 text imported by
INSERT INTO ledger_files (file_no, sha256, population, name, format, profile, accounts, statements, rows_read, rows_new, totals,
    expected, proof_state, proof_detail, imported_at, imported_by)
OVERRIDING SYSTEM VALUE
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
