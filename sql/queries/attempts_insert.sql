-- Records the staged attempts that are not there yet, each at its first time.
-- No parameters. In the order of the primary key, which makes building its index several times cheaper.
INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account,
    idempotency_key, key_source, id_source, args_sha256, tool, harness, agent_id, turn_id, host)
SELECT DISTINCT ON (attempt_id) attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account,
    idempotency_key, key_source, coalesce(id_source, 'unspecified'), args_sha256, tool, harness, agent_id, turn_id, host
FROM stage_attempts s
WHERE NOT EXISTS (SELECT FROM transfer_attempts t WHERE t.attempt_id = s.attempt_id)
ORDER BY attempt_id, proposed_at, line
