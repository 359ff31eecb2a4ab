-- Records the staged firings that are not recorded yet. Firings are counted: what a file shows n times at one moment is
-- there n times afterwards, however often it is imported. An attempt without delivery rows was fired once, at its own
-- time; it gets rows only when it has more firings than that one. Where it has rows they are all its firings, the one at
-- its own time included, even if another recorder's clock showed another time.
-- No parameters. By attempt and time; served by hook_deliveries_attempt.
WITH said AS (
    SELECT attempt_id, received_at, count(*) AS n, bool_or(own) AS own FROM stage_deliveries GROUP BY attempt_id, received_at
), attempts AS (
    SELECT attempt_id, bool_or(own) AS own FROM said GROUP BY attempt_id
), recorded AS (
    SELECT h.attempt_id, h.received_at, count(*) AS n
    FROM hook_deliveries h JOIN attempts USING (attempt_id)
    WHERE h.phase IS DISTINCT FROM 'post'
    GROUP BY h.attempt_id, h.received_at
), own AS (
    SELECT a.attempt_id, a.proposed_at AS received_at,
        EXISTS (SELECT FROM recorded r WHERE r.attempt_id = a.attempt_id) AS described
    FROM transfer_attempts a JOIN attempts USING (attempt_id)
    WHERE attempts.own
), missing AS (
    SELECT attempt_id, received_at,
        greatest(coalesce(s.n, 0), (NOT o.described)::integer) - greatest(coalesce(r.n, 0), o.described::integer) AS n
    FROM said s FULL JOIN own o USING (attempt_id, received_at) LEFT JOIN recorded r USING (attempt_id, received_at)
), firings AS (
    SELECT attempt_id, sum(n) AS n
    FROM (SELECT attempt_id, n FROM missing WHERE n > 0 UNION ALL SELECT attempt_id, n FROM recorded) x GROUP BY attempt_id
)
INSERT INTO hook_deliveries (attempt_id, received_at)
SELECT m.attempt_id, m.received_at
FROM missing m JOIN firings f USING (attempt_id), generate_series(1, m.n)
WHERE m.n > 0 AND f.n > 1
ORDER BY m.attempt_id, m.received_at
