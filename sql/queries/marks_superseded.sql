-- Which of these attempts have a superseded mark already.
-- $1 text[]  attempt ids
-- In no order; served by unknown_marks_superseded_once.
SELECT attempt_id FROM unknown_marks WHERE mark = 'superseded' AND attempt_id = ANY ($1)
