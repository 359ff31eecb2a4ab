-- The entries with these numbers, and whether a run could see them.
-- $1 bigint[]  entry numbers, each once
-- The mark stands for the cut. In no order; served by the primary key of ledger_entries.
SELECT e.entry_no, e.entry_id, e.provider_id, e.account_id, e.booked_on, e.value_on, e.occurred_at, e.amount, e.currency, e.gross,
    e.fee, e.net, e.kind, e.status, e.counterparty_name, e.counterparty_account, e.end_to_end_id, e.idempotency_key,
    e.merchant_reference, e.remittance_text, e.original_provider_id, e.group_id, e.file_no, e.line, e.details, e.report,
    true /*old e*/ AS seen
FROM ledger_entries e
WHERE e.entry_no = ANY ((SELECT $1::bigint[])::bigint[])
