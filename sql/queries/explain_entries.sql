-- The entries that have one of these keys, whichever of their keys it is.
-- $1 text[]  keys
-- By number; one scan, for people ask this seldom.
SELECT e.entry_no, e.entry_id, e.provider_id, e.account_id, e.booked_on, e.value_on, e.occurred_at, e.amount, e.currency, e.gross,
    e.fee, e.net, e.kind, e.status, e.counterparty_name, e.counterparty_account, e.end_to_end_id, e.idempotency_key,
    e.merchant_reference, e.remittance_text, e.original_provider_id, e.group_id, e.file_no, e.line, e.details, e.report
FROM ledger_entries e
WHERE (e.entry_id = ANY ($1) OR e.provider_id = ANY ($1) OR e.idempotency_key = ANY ($1) OR e.end_to_end_id = ANY ($1)
    OR e.merchant_reference = ANY ($1) OR e.original_provider_id = ANY ($1)) /*visible e*/
ORDER BY e.entry_no
