-- Forgets staged outcomes that an earlier line says too.
-- No parameters.
DELETE FROM stage_outcomes s USING (
    SELECT attempt_id, observed_at, min(line) AS line FROM stage_outcomes GROUP BY attempt_id, observed_at HAVING count(*) > 1
) first
WHERE s.attempt_id = first.attempt_id AND s.observed_at = first.observed_at AND s.line > first.line
