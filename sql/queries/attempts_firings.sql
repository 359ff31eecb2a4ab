-- The firings that the staged rows of attempts are.
-- No parameters.
INSERT INTO stage_deliveries (attempt_id, received_at, own)
SELECT attempt_id, proposed_at, true FROM stage_attempts
