-- How many items are listed as of the last run.
-- No parameters. One row; read from the primary key alone.
SELECT count(*) AS items FROM recon_open
