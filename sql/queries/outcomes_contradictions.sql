-- Staged outcomes that say something else of the same moment than what is recorded, or than an earlier line of the file.
-- $1 bigint  how many rows to list
-- In file order; the last column counts all of them. Served by transfer_outcome_history_attempt.
SELECT s.line, f.field, f.said, f.recorded, s.attempt_id AS id, NULL::text AS currency, t.line AS other_line,
    count(*) OVER ()::integer AS total
FROM stage_outcomes s
JOIN (
    SELECT attempt_id, observed_at, status, provider_ref, args_sha256, error, NULL::integer AS line
    FROM transfer_outcome_history
    UNION ALL
    SELECT o.attempt_id, o.observed_at, o.status, o.provider_ref, o.args_sha256, o.error, o.line
    FROM stage_outcomes o JOIN outcome_repeats USING (attempt_id, observed_at, line)
) t USING (attempt_id, observed_at)
CROSS JOIN LATERAL (
    SELECT v.field, v.said, v.recorded
    FROM (VALUES (1, 'status', s.status, t.status), (2, 'provider_ref', s.provider_ref, t.provider_ref),
        (3, 'error', s.error, t.error), (4, 'args_sha256', s.args_sha256, t.args_sha256)) v (position, field, said, recorded)
    WHERE v.said <> v.recorded
    ORDER BY v.position LIMIT 1) f
ORDER BY s.line
LIMIT $1
