-- The attempts whose id or idempotency key may be one of these keys, with both.
-- $1 text[]  keys as recon_key makes them, each once
-- In no order; served by transfer_attempts_id_key and transfer_attempts_key. What the planner knows of these expressions may be
-- old, so that each key is looked up by itself.
SELECT a.attempt_id, a.idempotency_key
FROM unnest($1::text[]) AS asked (key)
CROSS JOIN LATERAL (
    SELECT a.attempt_id, a.idempotency_key FROM transfer_attempts a
    WHERE hashtextextended(recon_key(a.attempt_id), 0) = hashtextextended(asked.key, 0)
    UNION ALL
    SELECT a.attempt_id, a.idempotency_key FROM transfer_attempts a
    WHERE hashtextextended(recon_key(a.idempotency_key), 0) = hashtextextended(asked.key, 0) AND a.idempotency_key IS NOT NULL OFFSET 0) a
