-- The entries whose provider id may be one of these keys.
-- $1 text[]  keys as recon_key makes them, each once
-- In no order; served by ledger_entries_provider_key.
SELECT e.entry_no, e.provider_id
FROM ledger_entries e
WHERE hashtextextended(recon_key(e.provider_id), 0) = ANY (ARRAY(SELECT hashtextextended(k.key, 0) FROM unnest($1::text[]) AS k (key)))
    AND e.provider_id IS NOT NULL
