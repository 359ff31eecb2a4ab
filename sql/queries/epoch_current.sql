-- The current epoch, and whether the database has moved to another cluster since it was opened.
-- No parameters. One row. Served by the primary key of recon_epochs.
SELECT e.epoch, e.system_identifier <> c.system_identifier::text AS moved
FROM recon_epochs e, pg_control_system() c
ORDER BY e.epoch DESC LIMIT 1
