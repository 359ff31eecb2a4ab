-- The listed items that one of these keys leads to.
-- $1 bigint[]  keys, each once
-- In no order; served by the primary keys of recon_open_keys and recon_open.
SELECT DISTINCT o.population, o.item, o.entry_no
FROM unnest($1::bigint[]) AS asked (key)
JOIN recon_open_keys k USING (key)
JOIN recon_open o ON o.population = k.population AND o.item = k.item
