-- The entries whose provider id may be one of these keys.
-- $1 text[]  keys as recon_key makes them, each once
-- In no order; served by ledger_entries_provider_key.
SELECT e.entry_no, e.provider_id
FROM unnest($1::text[]) AS asked (key)
CROSS JOIN LATERAL (
    SELECT e.entry_no, e.provider_id FROM ledger_entries e
    WHERE hashtextextended(recon_key(e.provider_id), 0) = hashtextextended(asked.key, 0) AND e.provider_id IS NOT NULL OFFSET 0) e
