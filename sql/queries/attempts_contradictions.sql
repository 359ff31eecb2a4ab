-- Staged attempts that say something else than what is recorded, or than an earlier line of the same file.
-- $1 bigint  how many rows to list
-- Fields that one side leaves open contradict nothing. In file order; the last column counts all of them.
SELECT s.line, f.field, f.said, f.recorded, s.attempt_id AS id, s.currency,
    CASE WHEN t.recorded_xid = pg_current_xact_id() THEN
        nullif((SELECT min(o.line) FROM stage_attempts o WHERE o.attempt_id = s.attempt_id AND o.proposed_at = t.proposed_at), 0) END AS other_line,
    count(*) OVER ()::integer AS total
FROM stage_attempts s
JOIN transfer_attempts t USING (attempt_id)
CROSS JOIN LATERAL (
    SELECT v.field, v.said, v.recorded
    FROM (VALUES (1, 'session_id', s.session_id, t.session_id), (2, 'amount_cents', s.amount_cents::text, t.amount_cents::text),
        (3, 'currency', s.currency, t.currency), (4, 'source_account', s.source_account, t.source_account),
        (5, 'dest_account', s.dest_account, t.dest_account), (6, 'ref', s.ref, t.ref),
        (7, 'idempotency_key', s.idempotency_key, t.idempotency_key), (8, 'key_source', s.key_source, t.key_source),
        (9, 'id_source', nullif(s.id_source, 'unspecified'), nullif(t.id_source, 'unspecified')),
        (10, 'args_sha256', s.args_sha256, t.args_sha256), (11, 'tool', s.tool, t.tool), (12, 'harness', s.harness, t.harness),
        (13, 'agent_id', s.agent_id, t.agent_id), (14, 'turn_id', s.turn_id, t.turn_id)) v (position, field, said, recorded)
    WHERE v.said <> v.recorded
    ORDER BY v.position LIMIT 1) f
WHERE s.session_id <> t.session_id OR s.amount_cents <> t.amount_cents OR s.currency <> t.currency
    OR s.source_account <> t.source_account OR s.dest_account <> t.dest_account OR s.ref <> t.ref
    OR s.idempotency_key <> t.idempotency_key OR s.key_source <> t.key_source
    OR (s.id_source <> t.id_source AND s.id_source <> 'unspecified' AND t.id_source <> 'unspecified')
    OR s.args_sha256 <> t.args_sha256 OR s.tool <> t.tool OR s.harness <> t.harness OR s.agent_id <> t.agent_id
    OR s.turn_id <> t.turn_id
ORDER BY s.line
LIMIT $1
