-- Those of these attempt ids of which an outcome is listed that named no attempt.
-- $1 text[]  attempt ids, each once
-- In no order; served by the primary key of recon_open.
SELECT o.item FROM recon_open o
WHERE o.population = 'outcomes' AND o.item = ANY ((SELECT $1::text[])::text[])
