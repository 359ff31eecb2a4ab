-- Forgets listed items and their keys.
-- $1 text[]  populations; $2 text[]  items
-- Served by the primary keys.
WITH gone AS (
    DELETE FROM recon_open o USING unnest($1::text[], $2::text[]) AS asked (population, item)
    WHERE o.population = asked.population AND o.item = asked.item
    RETURNING o.population, o.item, o.keys)
DELETE FROM recon_open_keys k USING (SELECT g.population, g.item, unnest(g.keys) AS key FROM gone g) g
WHERE k.key = g.key AND k.population = g.population AND k.item = g.item
