-- The events of these sessions.
-- $1 text[]  session ids
-- By session, time and event; served by the unique index of session_events.
SELECT s.session_id, s.event, s.at
FROM session_events s
WHERE s.session_id = ANY ($1) /*visible s*/
ORDER BY s.session_id, s.at, s.event
