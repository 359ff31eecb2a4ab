-- Records the latest staged outcome of each attempt that has none; a trigger writes it to the history.
-- No parameters. In the order of the primary key, which makes building its index several times cheaper.
INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at, args_sha256, error, versions)
SELECT DISTINCT ON (attempt_id) attempt_id, status, provider_ref, observed_at, args_sha256, error,
    count(*) OVER (PARTITION BY attempt_id)
FROM stage_outcomes s
WHERE NOT EXISTS (SELECT FROM transfer_outcomes t WHERE t.attempt_id = s.attempt_id)
ORDER BY attempt_id, observed_at DESC
