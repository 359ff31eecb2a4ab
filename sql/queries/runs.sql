-- Recorded runs.
-- $1 bigint  first run id, NULL = any; $2 bigint  last run id, NULL = any; $3 bigint  at most so many
-- Newest first; served by the primary key.
SELECT run_id, kind, slot_key, as_of, recorded_at, recorded_by, program, rule_set, snapshot::text AS snapshot, epoch, system_identifier,
    policy, totals, rows_digest, evidence_digest, previous, digest, entity, standing
FROM recon_runs
WHERE (run_id >= $1 OR $1 IS NULL) AND (run_id <= $2 OR $2 IS NULL)
ORDER BY run_id DESC
LIMIT $3
