-- The rows of transfer_attempts new to a run, in every column that says something.
-- The column of migration 0011 goes with harness, so that rows from before it read as they did when runs digested them. What
-- harness says then cannot be mistaken for another row's: it begins with a character that nothing else begins with.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.attempt_id, t.session_id, t.amount_cents, t.dest_account, t.ref, t.proposed_at, t.currency, t.source_account, t.idempotency_key,
    t.key_source, t.id_source, t.args_sha256, t.tool,
    CASE WHEN t.host IS NULL AND coalesce(t.harness, '') NOT LIKE chr(1) || '%' THEN t.harness
        ELSE chr(1) || jsonb_build_array(t.harness, t.host)::text END AS harness, t.agent_id, t.turn_id, t.recorded_at
FROM transfer_attempts t
/*new*/
ORDER BY t.attempt_id
