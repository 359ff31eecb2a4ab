-- Forgets staged outcomes that an earlier line says too.
-- No parameters.
DELETE FROM stage_outcomes s USING outcome_repeats first
WHERE s.attempt_id = first.attempt_id AND s.observed_at = first.observed_at AND s.line > first.line
