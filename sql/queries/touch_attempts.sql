-- The attempts whose id or idempotency key may be one of these keys, with both; some twice.
-- $1 text[]  keys as recon_key makes them, each once
-- In no order; served by transfer_attempts_id_key and transfer_attempts_key.
WITH asked AS MATERIALIZED (SELECT array_agg(hashtextextended(k.key, 0)) AS keys FROM unnest($1::text[]) AS k (key))
SELECT a.attempt_id, a.idempotency_key FROM transfer_attempts a
WHERE hashtextextended(recon_key(a.attempt_id), 0) = ANY ((SELECT asked.keys FROM asked)::bigint[])
UNION ALL
SELECT a.attempt_id, a.idempotency_key FROM transfer_attempts a
WHERE hashtextextended(recon_key(a.idempotency_key), 0) = ANY ((SELECT asked.keys FROM asked)::bigint[]) AND a.idempotency_key IS NOT NULL
