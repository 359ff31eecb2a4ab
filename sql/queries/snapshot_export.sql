-- Lends the transaction's snapshot to other sessions until it ends; with what it shows and where.
-- No parameters. One row.
SELECT pg_export_snapshot() AS id, pg_current_snapshot()::text || ' of ' || c.system_identifier::text AS seen FROM pg_control_system() c
