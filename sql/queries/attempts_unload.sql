-- Moves the attempts that staged rows are about back into the staging table, as the rows that they were read from.
-- No parameters. Only a throw-away database lets attempts go.
WITH unloaded AS (
    DELETE FROM transfer_attempts t USING (SELECT DISTINCT attempt_id FROM stage_attempts) s WHERE t.attempt_id = s.attempt_id RETURNING t.*)
INSERT INTO stage_attempts (line, attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account,
    idempotency_key, key_source, id_source, args_sha256, tool, harness, agent_id, turn_id, host)
SELECT 0, attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account, idempotency_key, key_source,
    id_source, args_sha256, tool, harness, agent_id, turn_id, host
FROM unloaded
