-- The ledger entries that a run could not see, in full.
-- No parameters; the mark stands for the cut. In no order; served by ledger_entries_recorded_xid.
SELECT e.entry_no, e.entry_id, e.provider_id, e.account_id, e.booked_on, e.value_on, e.occurred_at, e.amount, e.currency, e.gross,
    e.fee, e.net, e.kind, e.status, e.counterparty_name, e.counterparty_account, e.end_to_end_id, e.idempotency_key,
    e.merchant_reference, e.remittance_text, e.original_provider_id, e.group_id, e.file_no, e.line, e.details, e.report
FROM ledger_entries e WHERE true /*new e*/
