-- Of these tables those that have grown by a tenth or more since the planner was told what they hold, or of which it was
-- never told.
-- $1 text[] names of the tables, $2 bigint rows added to each at most
-- By name.
SELECT c.oid::regclass::text AS name
FROM pg_class c
WHERE c.oid = ANY ($1::text[]::regclass[]) AND c.reltuples < 10 * $2::bigint
ORDER BY 1
