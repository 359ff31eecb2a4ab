-- Every reviewer's decision ever recorded.
-- No parameters. In the order of recording.
SELECT population, item, decision, note, evidence_ref, class, content, prepared_by, approved_by, decided_at, owner, due_on, approved_on
FROM dispositions
ORDER BY disposition_no
