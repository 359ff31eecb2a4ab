-- The moments that several staged rows speak of, each with its first line. Seldom any.
-- No parameters. Gone at the end of the transaction.
CREATE TEMPORARY TABLE outcome_repeats ON COMMIT DROP AS
SELECT attempt_id, observed_at, min(line) AS line FROM stage_outcomes GROUP BY attempt_id, observed_at HAVING count(*) > 1
