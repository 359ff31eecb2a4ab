-- Attempts whose mark was superseded by an outcome that is not in the history. Must find nothing.
-- No parameters. By attempt; served by transfer_outcome_history_attempt. An outcome joined by its argument hash names another
-- attempt than the marked one.
SELECT m.attempt_id FROM unknown_marks m
WHERE m.mark = 'superseded' AND NOT EXISTS (
    SELECT FROM transfer_outcome_history h
    WHERE h.attempt_id = m.attempt_id AND h.status = m.status AND h.observed_at = m.observed_at)
  AND NOT EXISTS (
    SELECT FROM transfer_attempts a JOIN transfer_outcome_history h ON h.args_sha256 = a.args_sha256
    WHERE a.attempt_id = m.attempt_id AND h.status = m.status AND h.observed_at = m.observed_at)
ORDER BY m.attempt_id
