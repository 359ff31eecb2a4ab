-- Recorded exports.
-- $1 text  SHA-256 of the file, NULL = any
-- Newest first.
SELECT run_id, path, sha256, digest, period_from, period_to, issued, issued_by, issued_at, parts_digest
FROM exports
WHERE sha256 = $1 OR $1 IS NULL
ORDER BY export_no DESC
