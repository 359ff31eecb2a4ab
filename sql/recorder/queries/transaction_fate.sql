-- What became of a transaction: committed, aborted, in progress, or NULL if it was too long ago to say or is of another
-- cluster, where its number means something else. It is an error for a number that the cluster has not reached yet.
-- $1 text as transaction.sql gives it
SELECT CASE WHEN split_part($1, ':', 1) = (SELECT system_identifier::text FROM pg_control_system())
    THEN pg_xact_status(split_part($1, ':', 2)::xid8) END
