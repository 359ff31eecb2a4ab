-- Records the staged session events that are not there yet.
-- No parameters. By session and time; served by the unique index on (session_id, at, event).
INSERT INTO session_events (session_id, event, at)
SELECT session_id, event, at FROM stage_sessions GROUP BY session_id, at, event ORDER BY session_id, at, event
ON CONFLICT DO NOTHING
