-- The attempts that a run could not see, in full.
-- No parameters; the mark stands for the cut. In no order; served by transfer_attempts_recorded_xid and hook_deliveries_attempt.
-- No run has marked them.
SELECT a.attempt_id, a.session_id, a.amount_cents, a.currency, a.source_account, a.dest_account, a.ref, a.idempotency_key,
    a.key_source, a.id_source, a.args_sha256, a.tool, a.harness, a.agent_id, a.turn_id, a.host, a.proposed_at, d.deliveries,
    d.first_args <> a.args_sha256 OR d.last_args <> a.args_sha256 AS id_reused, NULL::timestamptz AS marked_at, NULL::bigint AS mark_run
FROM transfer_attempts a
LEFT JOIN LATERAL (
    SELECT count(*) AS deliveries, min(h.args_sha256) AS first_args, max(h.args_sha256) AS last_args
    FROM hook_deliveries h WHERE h.attempt_id = a.attempt_id AND h.phase IS DISTINCT FROM 'post') d ON true
WHERE true /*new a*/
