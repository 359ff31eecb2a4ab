-- The listed items that one of these keys leads to; some more than once.
-- $1 bigint[]  keys, each once
-- In no order; served by the primary keys of recon_open_keys and recon_open.
SELECT o.population, o.item, o.entry_no
FROM recon_open_keys k
CROSS JOIN LATERAL (SELECT o.* FROM recon_open o WHERE o.population = k.population AND o.item = k.item OFFSET 0) o
WHERE k.key = ANY ((SELECT $1::bigint[])::bigint[])
