-- The attempts, entries and outcomes that an id names: their own, that of a source, and that of a provider.
-- $1 text  the id; $2 text[]  the id, and what entries of another stage make of it
-- By population and item; served by the primary keys, ledger_entries_entry_id, ledger_entries_provider_key and
-- transfer_outcome_history_attempt.
SELECT 'attempts' AS population, a.attempt_id AS item, NULL::bigint AS entry_no FROM transfer_attempts a WHERE a.attempt_id = $1
UNION
SELECT 'entries', e.entry_id, e.entry_no FROM ledger_entries e WHERE e.entry_id = ANY ($2)
UNION
SELECT 'entries', e.entry_id, e.entry_no FROM ledger_entries e
WHERE hashtextextended(recon_key(e.provider_id), 0) = hashtextextended(recon_key($1), 0) AND e.provider_id IS NOT NULL AND e.provider_id = $1
UNION
SELECT 'outcomes', h.attempt_id, NULL FROM transfer_outcome_history h WHERE h.attempt_id = $1
ORDER BY 1, 2
