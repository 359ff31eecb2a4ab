-- The due time of the newest slot that needs no run any more, or NULL. One row; run_slots_due serves it.
SELECT max(due_at) AS due_at FROM run_slots WHERE state IN ('ran', 'missed');
