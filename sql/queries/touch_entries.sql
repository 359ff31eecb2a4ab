-- The entries whose idempotency key or end-to-end id may be one of these keys, with both; some twice.
-- $1 text[]  keys as recon_key makes them, each once
-- In no order; served by ledger_entries_key and ledger_entries_end_to_end_key.
WITH asked AS MATERIALIZED (SELECT array_agg(hashtextextended(k.key, 0)) AS keys FROM unnest($1::text[]) AS k (key))
SELECT e.entry_no, e.idempotency_key, e.end_to_end_id FROM ledger_entries e
WHERE hashtextextended(recon_key(e.idempotency_key), 0) = ANY ((SELECT asked.keys FROM asked)::bigint[]) AND e.idempotency_key IS NOT NULL
UNION ALL
SELECT e.entry_no, e.idempotency_key, e.end_to_end_id FROM ledger_entries e
WHERE hashtextextended(recon_key(e.end_to_end_id), 0) = ANY ((SELECT asked.keys FROM asked)::bigint[]) AND e.end_to_end_id IS NOT NULL
