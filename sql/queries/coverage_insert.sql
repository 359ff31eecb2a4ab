-- Records that the ledger is complete for an account over a range of days.
-- $1 text account or NULL, $2 date from, $3 date to (excluded), $4 boolean inferred, $5 bigint file_no
INSERT INTO ledger_coverage (account_id, covers_from, covers_to, inferred, file_no) VALUES ($1, $2, $3, $4, $5)
