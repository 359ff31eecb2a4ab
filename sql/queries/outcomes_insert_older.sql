-- Writes the staged outcomes that are not to be current to the history: all but the latest of each attempt, and the
-- latest too where the current outcome is later.
-- No parameters. By attempt and time. Runs after outcomes_insert and before outcomes_update_newer.
INSERT INTO transfer_outcome_history (attempt_id, status, provider_ref, observed_at, args_sha256, error)
SELECT s.attempt_id, s.status, s.provider_ref, s.observed_at, s.args_sha256, s.error
FROM (SELECT o.*, row_number() OVER (PARTITION BY attempt_id ORDER BY observed_at DESC) AS nth FROM stage_outcomes o) s
JOIN transfer_outcomes t USING (attempt_id)
WHERE s.nth > 1 OR s.observed_at < t.observed_at
ORDER BY s.attempt_id, s.observed_at
