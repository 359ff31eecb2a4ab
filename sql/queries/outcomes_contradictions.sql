-- Staged outcomes that say something else of the same moment than what is recorded, or than an earlier line of the file.
-- $1 bigint  how many rows to list
-- In file order; the last column counts all of them. Served by transfer_outcome_history_attempt: a few new rows beside a
-- long history are looked up one by one, which they would not be if the two lists were joined first.
SELECT p.line, f.field, f.said, f.recorded, p.attempt_id AS id, NULL::text AS currency, p.other_line,
    count(*) OVER ()::integer AS total
FROM (
    SELECT s.attempt_id, s.line, s.status, s.provider_ref, s.error, s.args_sha256, t.status AS other_status,
        t.provider_ref AS other_provider_ref, t.error AS other_error, t.args_sha256 AS other_args_sha256, NULL::integer AS other_line
    FROM stage_outcomes s JOIN transfer_outcome_history t USING (attempt_id, observed_at)
    UNION ALL
    SELECT s.attempt_id, s.line, s.status, s.provider_ref, s.error, s.args_sha256, o.status, o.provider_ref, o.error, o.args_sha256, o.line
    FROM stage_outcomes s
    JOIN outcome_repeats r USING (attempt_id, observed_at)
    JOIN stage_outcomes o ON o.attempt_id = r.attempt_id AND o.observed_at = r.observed_at AND o.line = r.line
) p
CROSS JOIN LATERAL (
    SELECT v.field, v.said, v.recorded
    FROM (VALUES (1, 'status', p.status, p.other_status), (2, 'provider_ref', p.provider_ref, p.other_provider_ref),
        (3, 'error', p.error, p.other_error), (4, 'args_sha256', p.args_sha256, p.other_args_sha256)) v (position, field, said, recorded)
    WHERE v.said <> v.recorded
    ORDER BY v.position LIMIT 1) f
ORDER BY p.line
LIMIT $1
