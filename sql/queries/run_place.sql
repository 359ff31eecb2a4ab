-- Where and when a run takes place: epoch, cluster, snapshot; whether the database has moved to another cluster since the
-- epoch was opened; and whether the slot has its run already.
-- $1 text  slot key, empty = none
-- One row.
SELECT e.epoch, e.system_identifier, pg_current_snapshot()::text AS snapshot,
    e.system_identifier <> c.system_identifier::text AS moved,
    EXISTS (SELECT FROM recon_runs r WHERE r.slot_key = $1) AS slot_done
FROM recon_epochs e, pg_control_system() c
ORDER BY e.epoch DESC LIMIT 1
