-- Writes a slot down that will not be run.
--   $1 text         its key
--   $2 timestamptz  when it was due
INSERT INTO run_slots (slot_key, due_at, state, tries) VALUES ($1, $2, 'missed', 0)
ON CONFLICT (slot_key) DO NOTHING;
