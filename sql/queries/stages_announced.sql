-- The entries that may have a later stage: not booked yet, or booked by a report.
-- No parameters; a night's mark stands for what the last run could see. In no order; served by ledger_entries_announced.
SELECT e.entry_no, e.entry_id, e.account_id, e.booked_on, e.amount, e.currency, e.status, e.report, e.provider_id, e.details->>'uetr' AS uetr,
    e.end_to_end_id, e.idempotency_key, e.details->>'transaction_id' AS transaction_id, e.group_id, e.children IS NOT NULL AS detailed,
    true /*old e*/ AS seen
FROM ledger_entries e
WHERE (e.report IS NOT NULL OR e.status IN ('pending', 'info', 'expected', 'unknown')) /*visible e*/
