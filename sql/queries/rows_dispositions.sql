-- The rows of dispositions new to a run, in every column that says something.
-- The columns of migration 0010 go with approved_by, so that rows from before it read as they did when runs digested them. What
-- approved_by says then cannot be mistaken for another row's: it begins with a character that nothing else begins with.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.disposition_no, t.population, t.item, t.decision, t.note, t.evidence_ref, t.class, t.content, t.prepared_by,
    CASE WHEN num_nulls(t.owner, t.due_on, t.approved_on) = 3 AND coalesce(t.approved_by, '') NOT LIKE chr(1) || '%' THEN t.approved_by
        ELSE chr(1) || jsonb_build_array(t.approved_by, t.owner, t.due_on, t.approved_on)::text END AS approved_by,
    t.decided_at, t.recorded_at
FROM dispositions t
/*new*/
ORDER BY t.disposition_no
