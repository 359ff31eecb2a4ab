-- Records an export.
-- $1 bigint run id, $2 text path, $3 text SHA-256 of the file, $4 text digest of the run, $5 date first day of the period or NULL,
-- $6 date its end (excluded) or NULL, $7 boolean issued, $8 text by whom, $9 timestamptz when, $10 text digest of the parts or NULL
INSERT INTO exports (run_id, path, sha256, digest, period_from, period_to, issued, issued_by, issued_at, parts_digest)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
