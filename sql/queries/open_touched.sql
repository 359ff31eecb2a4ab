-- The listed items that one of these keys leads to.
-- $1 bigint[]  keys, each once
-- In no order; served by the primary keys of recon_open_keys and recon_open.
SELECT DISTINCT o.population, o.item, o.entry_no
FROM unnest($1::bigint[]) AS asked (key)
CROSS JOIN LATERAL (SELECT k.population, k.item FROM recon_open_keys k WHERE k.key = asked.key OFFSET 0) k
CROSS JOIN LATERAL (SELECT o.* FROM recon_open o WHERE o.population = k.population AND o.item = k.item OFFSET 0) o
