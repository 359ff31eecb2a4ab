-- What runs said of items.
-- $1 text[]  attempt and entry ids
-- By run, population and item; served by the primary key of recon_findings, once for each population.
SELECT f.run_id, r.as_of, f.population, f.item, f.event, f.class, f.outcome, f.settlement, f.variance, f.rule, f.reason, f.cause,
    to_json(f.related) AS related, f.flags, f.differences
FROM recon_findings f JOIN recon_runs r USING (run_id)
WHERE f.population = ANY ('{attempts,entries,outcomes}') AND f.item = ANY ($1)
ORDER BY f.run_id, f.population, f.item
