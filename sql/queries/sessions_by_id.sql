-- These sessions as far as anything is known of them, with the time of the last attempt.
-- $1 text[]  session ids, each once
-- By id; served by transfer_attempts_session and the unique index of session_events.
SELECT wanted.session_id, a.last_attempt
FROM unnest($1::text[]) AS wanted (session_id)
CROSS JOIN LATERAL (
    SELECT max(a.proposed_at) AS last_attempt FROM transfer_attempts a WHERE a.session_id = wanted.session_id /*visible a*/) a
WHERE a.last_attempt IS NOT NULL
    OR EXISTS (SELECT FROM session_events s WHERE s.session_id = wanted.session_id /*visible s*/)
ORDER BY wanted.session_id COLLATE "C"
