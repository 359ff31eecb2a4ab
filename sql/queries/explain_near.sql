-- Entries that resemble an attempt: its amount in its currency, or its reference, booked around it; nearest day first.
-- $1 text  currency
-- $2 int8  amount, outflow positive
-- $3 text  reference (empty = none)
-- $4 date  the attempt's day
-- By distance in days and number; one scan, for people ask this seldom.
SELECT e.entry_no, e.entry_id, e.provider_id, e.account_id, e.booked_on, e.value_on, e.occurred_at, e.amount, e.currency, e.gross,
    e.fee, e.net, e.kind, e.status, e.counterparty_name, e.counterparty_account, e.end_to_end_id, e.idempotency_key,
    e.merchant_reference, e.remittance_text, e.original_provider_id, e.group_id, e.file_no, e.line, e.details, e.report
FROM ledger_entries e
WHERE (e.amount = - $2::bigint AND e.currency = $1 OR e.gross = - $2::bigint AND e.currency = $1 OR e.merchant_reference = nullif($3, ''))
    AND e.booked_on BETWEEN $4::date - 31 AND $4::date + 62 /*visible e*/
ORDER BY abs(e.booked_on - $4::date), e.entry_no
LIMIT 20
