-- Every ledger entry, in the fields that keyed agreement needs.
-- No parameters. In no order: one scan.
SELECT e.entry_no, e.provider_id, e.account_id, e.booked_on, e.occurred_at, e.amount, e.currency, e.gross, e.kind, e.status,
    e.counterparty_account, e.end_to_end_id, e.idempotency_key, e.remittance_text, e.report
FROM ledger_entries e
WHERE true /*visible e*/
