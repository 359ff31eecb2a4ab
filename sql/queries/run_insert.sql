-- Records a run.
-- $1 bigint run id, $2 text kind, $3 text slot or NULL, $4 timestamptz as of, $5 timestamptz recorded at, $6 text recorded by,
-- $7 text program, $8 text rule set, $9 text snapshot, $10 integer epoch, $11 text system identifier, $12 json policy,
-- $13 json totals, $14 text rows digest, $15 text evidence digest, $16 text previous digest, $17 text digest,
-- $18 text entity or NULL, $19 json standing
INSERT INTO recon_runs (run_id, kind, slot_key, as_of, recorded_at, recorded_by, program, rule_set, snapshot, epoch, system_identifier,
    policy, totals, rows_digest, evidence_digest, previous, digest, entity, standing)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::pg_snapshot, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
