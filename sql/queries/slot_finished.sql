-- Writes down how a try at a slot ended; one that ran stays so.
--   $1 text         its key
--   $2 timestamptz  when it was due
--   $3 text         ran or failed
--   $4 text         by whom
--   $5 timestamptz  when
--   $6 bigint       the run, or NULL
--   $7 text         the failure, or NULL
INSERT INTO run_slots AS s (slot_key, due_at, state, tries, claimed_by, finished_at, run_id, detail)
VALUES ($1, $2, $3, 1, $4, $5, $6, $7)
ON CONFLICT (slot_key) DO UPDATE
SET state = EXCLUDED.state, tries = s.tries + 1, claimed_by = EXCLUDED.claimed_by, finished_at = EXCLUDED.finished_at,
    run_id = coalesce(EXCLUDED.run_id, s.run_id), detail = EXCLUDED.detail
WHERE s.state <> 'ran';
