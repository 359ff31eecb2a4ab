-- What had become of the slots due before a moment. A slot that ended later was still claimed then.
-- $1 timestamptz  the moment; $2 bigint  how many at most
-- Newest first; served by run_slots_due.
SELECT s.slot_key, s.due_at, CASE WHEN s.finished_at > $1 THEN 'claimed' ELSE s.state END AS state, s.tries,
    CASE WHEN s.finished_at > $1 THEN NULL ELSE s.run_id END AS run_id, CASE WHEN s.finished_at > $1 THEN NULL ELSE s.detail END AS detail
FROM run_slots s
WHERE s.due_at <= $1
ORDER BY s.due_at DESC, s.slot_key DESC
LIMIT $2
