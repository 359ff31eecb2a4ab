-- The attempts with these ids, in full, and what of it a run could not see: the attempt, deliveries, the mark.
-- $1 text[]  attempt ids, each once
-- The marks stand for the cuts. In no order; served by the primary key of transfer_attempts, hook_deliveries_attempt and
-- unknown_marks_once. The array comes from a query of its own, or the planner would estimate its elements one by one.
SELECT a.attempt_id, a.session_id, a.amount_cents, a.currency, a.source_account, a.dest_account, a.ref, a.idempotency_key,
    a.key_source, a.id_source, a.args_sha256, a.tool, a.harness, a.agent_id, a.turn_id, a.host, a.proposed_at, d.deliveries,
    d.first_args <> a.args_sha256 OR d.last_args <> a.args_sha256 AS id_reused, m.marked_at, m.run_id AS mark_run,
    true /*old a*/ AS seen, d.earlier, d.earlier_first <> a.args_sha256 OR d.earlier_last <> a.args_sha256 AS earlier_reused
FROM transfer_attempts a
LEFT JOIN LATERAL (
    SELECT count(*) AS deliveries, min(h.args_sha256) AS first_args, max(h.args_sha256) AS last_args,
        count(*) FILTER (WHERE true /*old h*/) AS earlier, min(h.args_sha256) FILTER (WHERE true /*old h*/) AS earlier_first,
        max(h.args_sha256) FILTER (WHERE true /*old h*/) AS earlier_last
    FROM hook_deliveries h WHERE h.attempt_id = a.attempt_id AND h.phase IS DISTINCT FROM 'post') d ON true
LEFT JOIN unknown_marks m ON m.attempt_id = a.attempt_id AND m.mark = 'unknown'
WHERE a.attempt_id = ANY ((SELECT $1::text[])::text[])
