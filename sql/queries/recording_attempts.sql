-- The attempts proposed in a period by the harness and the host that they were recorded on.
-- $1 timestamptz  start of the period, NULL = none; $2 timestamptz  its end (excluded), NULL = none
-- By harness and host, those not recorded first.
SELECT coalesce(a.harness, '') AS harness, coalesce(a.host, '') AS host, count(*) AS attempts, max(a.proposed_at) AS last
FROM transfer_attempts a
WHERE (a.proposed_at >= $1 OR $1 IS NULL) AND (a.proposed_at < $2 OR $2 IS NULL) /*visible a*/
GROUP BY 1, 2
ORDER BY 1, 2
