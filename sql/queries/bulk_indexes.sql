-- The indexes of a table that are no constraint's, with what makes them again.
-- $1 text  name of the table
-- By name.
SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition
FROM pg_index i
WHERE i.indrelid = $1::text::regclass
    AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
ORDER BY 1
