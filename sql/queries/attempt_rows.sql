-- Every attempt with its current outcome, in the fields that keyed agreement needs.
-- No parameters. In no order: three scans and hash joins, which no index helps.
SELECT a.attempt_id, a.amount_cents, a.currency, a.source_account, a.dest_account, a.ref, a.idempotency_key, a.id_source, a.proposed_at,
    o.status, o.provider_ref, o.versions, d.deliveries,
    d.first_args <> a.args_sha256 OR d.last_args <> a.args_sha256 AS id_reused, m.marked_at
FROM transfer_attempts a
LEFT JOIN /*outcomes*/transfer_outcomes o USING (attempt_id)
LEFT JOIN (
    SELECT h.attempt_id, count(*) AS deliveries, min(h.args_sha256) AS first_args, max(h.args_sha256) AS last_args
    FROM hook_deliveries h WHERE h.phase IS DISTINCT FROM 'post' /*visible h*/ GROUP BY h.attempt_id) d USING (attempt_id)
LEFT JOIN unknown_marks m ON m.attempt_id = a.attempt_id AND m.mark = 'unknown' /*earlier runs*/
WHERE true /*visible a*/
