-- Records an event of a session once.
-- $1 text session_id  $2 text event  $3 timestamptz at
INSERT INTO session_events (session_id, event, at) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING
