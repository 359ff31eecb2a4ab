-- The entries whose idempotency key or end-to-end id may be one of these keys, with both.
-- $1 text[]  keys as recon_key makes them, each once
-- In no order; served by ledger_entries_key and ledger_entries_end_to_end_key.
SELECT e.entry_no, e.idempotency_key, e.end_to_end_id
FROM unnest($1::text[]) AS asked (key)
CROSS JOIN LATERAL (
    SELECT e.entry_no, e.idempotency_key, e.end_to_end_id FROM ledger_entries e
    WHERE hashtextextended(recon_key(e.idempotency_key), 0) = hashtextextended(asked.key, 0) AND e.idempotency_key IS NOT NULL
    UNION ALL
    SELECT e.entry_no, e.idempotency_key, e.end_to_end_id FROM ledger_entries e
    WHERE hashtextextended(recon_key(e.end_to_end_id), 0) = hashtextextended(asked.key, 0) AND e.end_to_end_id IS NOT NULL OFFSET 0) e
