-- Forgets staged outcomes whose moment is in the history already.
-- No parameters. Served by transfer_outcome_history_attempt.
DELETE FROM stage_outcomes s
WHERE EXISTS (SELECT FROM transfer_outcome_history h WHERE h.attempt_id = s.attempt_id AND h.observed_at = s.observed_at)
