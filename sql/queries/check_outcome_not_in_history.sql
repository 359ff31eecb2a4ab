-- Attempts whose current outcome is not the latest version in the history, or whose count of versions is wrong. Must
-- find nothing. No parameters. By attempt; one pass over both tables.
SELECT coalesce(o.attempt_id, h.attempt_id) AS attempt_id
FROM transfer_outcomes o
FULL JOIN (
    SELECT DISTINCT ON (attempt_id) attempt_id, status, provider_ref, observed_at, args_sha256, error,
        count(*) OVER (PARTITION BY attempt_id) AS versions
    FROM transfer_outcome_history ORDER BY attempt_id, observed_at DESC, version_no DESC) h ON h.attempt_id = o.attempt_id
WHERE (o.attempt_id, o.status, o.provider_ref, o.observed_at, o.args_sha256, o.error, o.versions)
    IS DISTINCT FROM (h.attempt_id, h.status, h.provider_ref, h.observed_at, h.args_sha256, h.error, h.versions)
ORDER BY 1
