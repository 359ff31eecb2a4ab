-- What had become of the slots of the schedule as far as a run could see: the last event of each.
-- $1 bigint  how many at most; the mark stands for the cut
-- Newest first; served by run_slot_events_due.
SELECT DISTINCT ON (t.due_at, t.slot_key) t.slot_key, t.due_at, t.state, t.tries, t.run_id, t.detail
FROM run_slot_events t
/*new*/
ORDER BY t.due_at DESC, t.slot_key DESC, t.event_no DESC
LIMIT $1
