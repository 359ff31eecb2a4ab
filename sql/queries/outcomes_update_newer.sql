-- Makes the latest staged outcome current where it is later; a trigger writes it to the history.
-- No parameters.
UPDATE transfer_outcomes t SET status = s.status, provider_ref = s.provider_ref, observed_at = s.observed_at,
    args_sha256 = s.args_sha256, error = s.error, versions = t.versions + s.n
FROM (SELECT DISTINCT ON (attempt_id) attempt_id, status, provider_ref, observed_at, args_sha256, error,
          count(*) OVER (PARTITION BY attempt_id) AS n
      FROM stage_outcomes ORDER BY attempt_id, observed_at DESC) s
WHERE t.attempt_id = s.attempt_id AND s.observed_at > t.observed_at
