-- How well each harness's recorder works, by day: ids that are not strong, attempts without an outcome, deliveries.
-- $1 timestamptz  attempts proposed from here on
-- $2 timestamptz  attempts proposed before this should have an outcome
-- One row a harness and day, by harness and day; reads the attempts since $1.
SELECT coalesce(a.harness, '') AS harness, (a.proposed_at AT TIME ZONE 'UTC')::date AS day, count(*) AS attempts,
       count(*) FILTER (WHERE a.id_source = 'weak_tool_use_id') AS weak,
       count(*) FILTER (WHERE a.id_source IN ('fallback_hash', 'legacy_window')) AS fallback,
       count(*) FILTER (WHERE a.proposed_at < $2) AS due,
       count(*) FILTER (WHERE a.proposed_at < $2 AND o.attempt_id IS NULL) AS without_outcome,
       coalesce(sum(d.firings), 0)::bigint + count(*) FILTER (WHERE d.firings IS NULL) AS deliveries
FROM transfer_attempts a
LEFT JOIN transfer_outcomes o USING (attempt_id)
LEFT JOIN (SELECT h.attempt_id, count(*) AS firings FROM hook_deliveries h WHERE h.phase IS DISTINCT FROM 'post' GROUP BY h.attempt_id) d USING (attempt_id)
WHERE a.proposed_at >= $1
GROUP BY 1, 2
ORDER BY 1, 2
