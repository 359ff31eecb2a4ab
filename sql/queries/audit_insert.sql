-- Records the staged audit calls that no recorded attempt is.
-- No parameters. In the order of the primary key.
INSERT INTO transfer_attempts (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account, id_source)
SELECT DISTINCT ON (attempt_id) attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account, id_source
FROM stage_audit s
WHERE NOT EXISTS (SELECT FROM audit_matches m WHERE m.call_id = s.attempt_id)
ORDER BY attempt_id, line
