-- What was last said of these items, where it was not that they are cleared.
-- $1 text  population; $2 text[]  items
-- By item; served by the primary key of recon_findings.
SELECT $1::text AS population, last.item, last.content, last.flags
FROM (SELECT DISTINCT ON (f.population, f.item) f.item, f.event, f.content, f.flags FROM recon_findings f
    WHERE f.population = $1 AND f.item = ANY ((SELECT $2::text[])::text[])
    ORDER BY f.population, f.item, f.run_id DESC) last
WHERE last.event <> 'cleared'
ORDER BY last.item
