-- How many items changed their class in a run: listed before and in it, under two classes.
-- $1 bigint  run id
-- One row; served by recon_findings_run and the primary key of recon_findings.
SELECT count(*) AS items
FROM recon_findings f
CROSS JOIN LATERAL (SELECT p.class FROM recon_findings p
    WHERE p.population = f.population AND p.item = f.item AND p.run_id < f.run_id ORDER BY p.run_id DESC LIMIT 1) last
WHERE f.run_id = $1 AND f.event = 'changed' AND last.class <> f.class
