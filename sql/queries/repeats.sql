-- The deliveries beyond the first of attempts proposed in a period: attempt, time, how manieth, time of the first.
-- $1 timestamptz  start of the period, NULL = none; $2 timestamptz  its end (excluded), NULL = none
-- By the attempt's time, its id and the delivery's time.
SELECT a.attempt_id, a.session_id, a.amount_cents, a.currency, a.source_account, a.dest_account, a.ref, a.idempotency_key,
    a.key_source, a.id_source, a.args_sha256, a.tool, a.harness, a.agent_id, a.turn_id, a.host, a.proposed_at, d.deliveries,
    d.first_args <> a.args_sha256 OR d.last_args <> a.args_sha256 AS id_reused, m.marked_at, m.run_id AS mark_run,
    d.received_at, d.nth, d.first_received
FROM (
    SELECT h.attempt_id, h.received_at, row_number() OVER w AS nth, first_value(h.received_at) OVER w AS first_received,
        count(*) OVER (PARTITION BY h.attempt_id) AS deliveries, min(h.args_sha256) OVER (PARTITION BY h.attempt_id) AS first_args,
        max(h.args_sha256) OVER (PARTITION BY h.attempt_id) AS last_args
    FROM hook_deliveries h WHERE h.phase IS DISTINCT FROM 'post' /*visible h*/
    WINDOW w AS (PARTITION BY h.attempt_id ORDER BY h.received_at, h.delivery_no)) d
JOIN transfer_attempts a USING (attempt_id)
LEFT JOIN unknown_marks m ON m.attempt_id = a.attempt_id AND m.mark = 'unknown' /*earlier runs*/
WHERE d.nth > 1 AND (a.proposed_at >= $1 OR $1 IS NULL) AND (a.proposed_at < $2 OR $2 IS NULL) /*visible a*/
ORDER BY a.proposed_at, a.attempt_id, d.nth
