-- Whether the indexes of a table may be dropped and made again by the current role.
-- $1 text  name of the table
-- One row.
SELECT pg_has_role(c.relowner, 'USAGE') AND has_schema_privilege(c.relnamespace, 'CREATE') AS pays
FROM pg_class c WHERE c.oid = $1::text::regclass
