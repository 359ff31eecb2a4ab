-- The reviewers' decisions that a run could see, the latest of each item.
-- No parameters; the mark stands for the cut. By population and item; served by dispositions_item.
SELECT DISTINCT ON (t.population, t.item) t.population, t.item, t.decision, t.note, t.evidence_ref, t.class, t.content,
    t.prepared_by, t.approved_by, t.decided_at, t.owner, t.due_on, t.approved_on
FROM dispositions t
/*new*/
ORDER BY t.population, t.item, t.disposition_no DESC
