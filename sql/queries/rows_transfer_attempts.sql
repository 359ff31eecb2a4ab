-- The rows of transfer_attempts new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.attempt_id, t.session_id, t.amount_cents, t.dest_account, t.ref, t.proposed_at, t.currency, t.source_account, t.idempotency_key,
    t.key_source, t.id_source, t.args_sha256, t.tool, t.harness, t.agent_id, t.turn_id, t.recorded_at
FROM transfer_attempts t
/*new*/
ORDER BY t.attempt_id
