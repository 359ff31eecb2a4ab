-- Of which sessions an event was recorded that a run could not see.
-- No parameters; the mark stands for the cut. In no order; served by session_events_recorded_xid.
SELECT DISTINCT t.session_id FROM session_events t WHERE true /*new t*/
