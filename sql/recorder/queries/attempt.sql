-- Records an attempt once. A call that is delivered again keeps its first row.
-- $1 text attempt_id  $2 text session_id  $3 bigint amount_cents  $4 text dest_account  $5 text ref
-- $6 timestamptz proposed_at  $7 text source_account  $8 text idempotency_key  $9 text key_source  $10 text id_source
-- $11 text args_sha256  $12 text tool  $13 text harness  $14 text agent_id  $15 text turn_id  $16 text host
-- $17 text currency
INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, source_account,
    idempotency_key, key_source, id_source, args_sha256, tool, harness, agent_id, turn_id, host, currency)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT (attempt_id) DO NOTHING
