-- The links that a run wrote with its findings.
-- $1 bigint  run id
-- By attempt and position; served by recon_links_run.
SELECT l.attempt_id, l.position, l.entry_no, l.tier, l.role FROM recon_links l WHERE l.run_id = $1 ORDER BY l.attempt_id, l.position
