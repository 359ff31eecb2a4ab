-- The marks of attempts, with age and threshold in microseconds (0 = none).
-- $1 text[]  attempt ids
-- By run; served by the partial indexes on attempt_id.
SELECT m.mark = 'superseded' AS superseded, m.attempt_id, m.run_id, m.marked_at,
    coalesce(extract(epoch FROM m.age) * 1000000, 0)::bigint AS age,
    coalesce(extract(epoch FROM m.threshold) * 1000000, 0)::bigint AS threshold, m.status, m.observed_at
FROM unknown_marks m
WHERE m.mark IN ('unknown', 'superseded') AND m.attempt_id = ANY ($1)
ORDER BY m.run_id, m.mark_no
