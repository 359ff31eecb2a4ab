-- Marks of attempts that are not recorded. Must find nothing.
-- No parameters. By attempt; an anti-join with the primary key.
SELECT m.attempt_id FROM unknown_marks m
WHERE NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = m.attempt_id)
ORDER BY m.attempt_id
