-- Writes every outcome to the history as its only version, as a trigger does where rows come one by one.
-- No parameters. In the order of the file.
INSERT INTO transfer_outcome_history (attempt_id, status, provider_ref, observed_at, args_sha256, error)
SELECT attempt_id, status, provider_ref, observed_at, args_sha256, error FROM transfer_outcomes
