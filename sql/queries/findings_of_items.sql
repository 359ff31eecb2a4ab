-- What was last said of these items, where it was not that they are cleared.
-- $1 text[]  populations; $2 text[]  items
-- By population and item; served by the primary key of recon_findings.
SELECT asked.population, asked.item, last.content
FROM unnest($1::text[], $2::text[]) AS asked (population, item)
CROSS JOIN LATERAL (
    SELECT f.event, f.content FROM recon_findings f WHERE f.population = asked.population AND f.item = asked.item
    ORDER BY f.run_id DESC LIMIT 1) last
WHERE last.event <> 'cleared'
ORDER BY asked.population COLLATE "C", asked.item COLLATE "C"
