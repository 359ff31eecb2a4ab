-- The entries that have one of these provider ids.
-- $1 text[]  provider ids, each once
-- By number; served by ledger_entries_provider_key.
SELECT e.entry_no, e.entry_id, e.provider_id, e.account_id, e.booked_on, e.value_on, e.occurred_at, e.amount, e.currency, e.gross,
    e.fee, e.net, e.kind, e.status, e.counterparty_name, e.counterparty_account, e.end_to_end_id, e.idempotency_key,
    e.merchant_reference, e.remittance_text, e.original_provider_id, e.group_id, e.file_no, e.line, e.details, e.report
FROM unnest($1::text[]) AS wanted (provider_id)
JOIN ledger_entries e ON hashtextextended(recon_key(e.provider_id), 0) = hashtextextended(recon_key(wanted.provider_id), 0)
    AND e.provider_id = wanted.provider_id
WHERE true /*visible e*/
ORDER BY e.entry_no
