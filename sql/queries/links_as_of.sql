-- The links of what was listed as of a run: those written with the last finding of each attempt up to it.
-- $1 bigint  run id
-- By attempt and position; served by the primary keys of recon_findings and recon_links.
SELECT l.attempt_id, l.position, l.entry_no, l.tier, l.role
FROM (SELECT DISTINCT ON (f.item) f.item, f.event, f.run_id
      FROM recon_findings f WHERE f.population = 'attempts' AND f.run_id <= $1 ORDER BY f.item, f.run_id DESC) last
JOIN recon_links l ON l.attempt_id = last.item AND l.run_id = last.run_id
WHERE last.event <> 'cleared'
ORDER BY l.attempt_id, l.position
