-- The attempts with these ids, in full.
-- $1 text[]  attempt ids, each once
-- By id; served by the primary key of transfer_attempts, hook_deliveries_attempt and unknown_marks_once.
SELECT a.attempt_id, a.session_id, a.amount_cents, a.currency, a.source_account, a.dest_account, a.ref, a.idempotency_key,
    a.key_source, a.id_source, a.args_sha256, a.tool, a.harness, a.agent_id, a.turn_id, a.host, a.proposed_at, d.deliveries,
    d.first_args <> a.args_sha256 OR d.last_args <> a.args_sha256 AS id_reused, m.marked_at, m.run_id AS mark_run
FROM unnest($1::text[]) AS wanted (attempt_id)
JOIN transfer_attempts a USING (attempt_id)
LEFT JOIN LATERAL (
    SELECT count(*) AS deliveries, min(h.args_sha256) AS first_args, max(h.args_sha256) AS last_args
    FROM hook_deliveries h WHERE h.attempt_id = a.attempt_id AND h.phase IS DISTINCT FROM 'post' /*visible h*/) d ON true
LEFT JOIN LATERAL (
    SELECT m.marked_at, m.run_id FROM unknown_marks m WHERE m.attempt_id = a.attempt_id AND m.mark = 'unknown' /*earlier runs*/ LIMIT 1) m ON true
WHERE true /*visible a*/
ORDER BY a.attempt_id
