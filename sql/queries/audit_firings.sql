-- The firings of the staged audit calls, by the attempt that each call is. The time of an attempt that was recorded
-- otherwise is another clock's view of the first firing, and none of its own.
-- No parameters.
INSERT INTO stage_deliveries (attempt_id, received_at, own)
SELECT coalesce(m.attempt_id, s.attempt_id), s.fired_at, coalesce(m.same_id, true)
FROM stage_audit s LEFT JOIN audit_matches m ON m.call_id = s.attempt_id
