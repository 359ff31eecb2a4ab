-- Records that the ledger is complete for an account over a range of days.
-- $1 text account or NULL, $2 date from, $3 date to (excluded), $4 boolean inferred, $5 bigint file_no, $6 boolean said of reports
INSERT INTO ledger_coverage (account_id, covers_from, covers_to, inferred, file_no, report) VALUES ($1, $2, $3, $4, $5, $6)
