-- The ways by which anything is listed, by the number in the upper four bits of their keys.
-- No parameters. In no order; served by the primary key of recon_open_keys.
SELECT w.way
FROM generate_series(0, 15) AS w (way)
WHERE EXISTS (SELECT FROM recon_open_keys k WHERE k.key BETWEEN w.way::bigint << 60 AND (w.way::bigint << 60) + ((1::bigint << 60) - 1))
