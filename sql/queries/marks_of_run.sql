-- The marks that a run set, with age and threshold in microseconds (0 = none).
-- $1 bigint  run id
-- In the order of writing; served by unknown_marks_run.
SELECT m.mark, m.attempt_id, m.marked_at, coalesce(extract(epoch FROM m.age) * 1000000, 0)::bigint AS age,
    coalesce(extract(epoch FROM m.threshold) * 1000000, 0)::bigint AS threshold, m.status, m.observed_at
FROM unknown_marks m
WHERE m.run_id = $1
ORDER BY m.mark_no
