-- Records an attempt whose call names no currency: it is in the database's own.
-- Parameters as in attempt.sql, without the last.
INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, source_account,
    idempotency_key, key_source, id_source, args_sha256, tool, harness, agent_id, turn_id, host)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
ON CONFLICT (attempt_id) DO NOTHING
