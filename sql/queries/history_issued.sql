-- The last run before one that had been issued by a moment, with who issued it and when.
-- $1 bigint  run id; $2 timestamptz  the moment
-- At most one row.
SELECT x.run_id, x.issued_by, x.issued_at
FROM exports x
WHERE x.issued AND x.run_id < $1 AND x.issued_at <= $2
ORDER BY x.run_id DESC, x.export_no DESC
LIMIT 1
