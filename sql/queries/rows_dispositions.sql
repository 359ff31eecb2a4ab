-- The rows of dispositions new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.disposition_no, t.population, t.item, t.decision, t.note, t.evidence_ref, t.class, t.content, t.prepared_by, t.approved_by,
    t.decided_at, t.recorded_at
FROM dispositions t
/*new*/
ORDER BY t.disposition_no
