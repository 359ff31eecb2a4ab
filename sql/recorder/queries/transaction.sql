-- The transaction's own id, by which its fate can be asked for later: the cluster's identity, a colon, the number.
SELECT (SELECT system_identifier FROM pg_control_system()) || ':' || pg_current_xact_id()
