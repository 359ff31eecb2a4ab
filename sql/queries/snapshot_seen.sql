-- What the transaction's snapshot shows, and where.
-- No parameters. One row.
SELECT pg_current_snapshot()::text || ' of ' || c.system_identifier::text AS seen FROM pg_control_system() c
