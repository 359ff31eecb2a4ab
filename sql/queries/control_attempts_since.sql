-- Count and sum of the attempts that a run could not see, and how many deliveries it did not count, by currency. An attempt
-- without delivery rows counts one.
-- No parameters; the marks stand for the cuts. By currency; served by the indexes on recorded_xid and hook_deliveries_attempt.
SELECT a.currency, count(*) FILTER (WHERE a.fresh) AS attempts, coalesce(sum(a.amount_cents) FILTER (WHERE a.fresh), 0)::bigint AS minor,
    sum(greatest(d.now, 1) - CASE WHEN a.fresh THEN 0 ELSE greatest(d.before, 1) END)::bigint AS deliveries
FROM (
    SELECT t.attempt_id, t.currency, t.amount_cents, true AS fresh FROM transfer_attempts t WHERE true /*new t*/
    UNION ALL
    SELECT t.attempt_id, t.currency, t.amount_cents, false AS fresh
    FROM (SELECT DISTINCT h.attempt_id FROM hook_deliveries h WHERE h.phase IS DISTINCT FROM 'post' /*new h*/) fired
    JOIN transfer_attempts t USING (attempt_id) WHERE true /*old t*/) a
CROSS JOIN LATERAL (
    SELECT count(*) AS now, count(*) FILTER (WHERE true /*old h*/) AS before
    FROM hook_deliveries h WHERE h.attempt_id = a.attempt_id AND h.phase IS DISTINCT FROM 'post') d
GROUP BY a.currency
ORDER BY a.currency
