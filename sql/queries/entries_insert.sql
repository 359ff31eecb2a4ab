-- Records the staged entries that are not there yet.
-- $1 bigint  number of the file
-- In the order of the file, so that entry numbers are in it too; the first row of an id counts.
INSERT INTO ledger_entries (line, entry_id, provider_id, account_id, booked_on, value_on, occurred_at, amount, currency, gross, fee,
    net, kind, status, counterparty_name, counterparty_account, end_to_end_id, idempotency_key, merchant_reference, remittance_text,
    original_provider_id, group_id, details, report, children, file_no)
SELECT s.line, s.entry_id, s.provider_id, s.account_id, s.booked_on, s.value_on, s.occurred_at, s.amount, s.currency, s.gross, s.fee,
    s.net, s.kind, s.status, s.counterparty_name, s.counterparty_account, s.end_to_end_id, s.idempotency_key, s.merchant_reference,
    s.remittance_text, s.original_provider_id, s.group_id, s.details, s.report, s.children, $1
FROM stage_entries s
LEFT JOIN (SELECT entry_id, min(position) AS first FROM stage_entries GROUP BY entry_id HAVING count(*) > 1) repeated USING (entry_id)
WHERE (repeated.first IS NULL OR repeated.first = s.position)
    AND NOT EXISTS (SELECT FROM ledger_entries t WHERE t.entry_id = s.entry_id)
ORDER BY s.position
