-- The rows of ledger_entries new to a run, in every column that says something.
-- No parameters; the mark stands for the cut. By primary key; cut by the index on recorded_xid where there is one.
SELECT t.entry_no, t.entry_id, t.provider_id, t.account_id, t.booked_on, t.value_on, t.occurred_at, t.amount, t.currency, t.gross, t.fee,
    t.net, t.kind, t.status, t.counterparty_name, t.counterparty_account, t.end_to_end_id, t.idempotency_key, t.merchant_reference,
    t.remittance_text, t.original_provider_id, t.group_id, t.details, t.file_no, t.line, t.report, t.children
FROM ledger_entries t
/*new*/
ORDER BY t.entry_no
