-- Count, sum and deliveries of the attempts proposed in a period, by currency. An attempt without delivery rows counts one.
-- $1 timestamptz  start of the period, NULL = none; $2 timestamptz  its end (excluded), NULL = none
-- By currency.
SELECT a.currency, count(*) AS attempts, sum(a.amount_cents)::bigint AS minor, sum(coalesce(d.deliveries, 1))::bigint AS deliveries
FROM transfer_attempts a
LEFT JOIN (
    SELECT h.attempt_id, count(*) AS deliveries FROM hook_deliveries h WHERE h.phase IS DISTINCT FROM 'post' /*visible h*/ GROUP BY h.attempt_id) d USING (attempt_id)
WHERE (a.proposed_at >= $1 OR $1 IS NULL) AND (a.proposed_at < $2 OR $2 IS NULL) /*visible a*/
GROUP BY a.currency
ORDER BY a.currency
