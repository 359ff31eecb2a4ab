-- Staged entries that say something else than what is recorded, or than an earlier line of the same file.
-- $1 bigint  how many rows to list
-- Fields that one side leaves open contradict nothing, nor do the texts of entries whose id was derived: exports of one bank
-- differ in them, and the id holds what has to agree. In file order; the last column counts all of them.
SELECT s.line, f.field, f.said, f.recorded, s.entry_id AS id, s.currency,
    CASE WHEN t.recorded_xid = pg_current_xact_id() THEN t.line END AS other_line, count(*) OVER ()::integer AS total
FROM stage_entries s
JOIN ledger_entries t USING (entry_id)
CROSS JOIN LATERAL (
    SELECT v.field, v.said, v.recorded
    FROM (VALUES (1, 'provider_id', s.provider_id, t.provider_id), (2, 'account_id', s.account_id, t.account_id),
        (3, 'booked_on', s.booked_on::text, t.booked_on::text), (4, 'value_on', s.value_on::text, t.value_on::text),
        (5, 'occurred_at', s.occurred_at::text, t.occurred_at::text), (6, 'amount', s.amount::text, t.amount::text),
        (7, 'currency', s.currency, t.currency), (8, 'gross', s.gross::text, t.gross::text), (9, 'fee', s.fee::text, t.fee::text),
        (10, 'net', s.net::text, t.net::text), (11, 'kind', s.kind, t.kind), (12, 'status', s.status, t.status),
        (13, 'counterparty_name', s.counterparty_name, t.counterparty_name),
        (14, 'counterparty_account', s.counterparty_account, t.counterparty_account),
        (15, 'end_to_end_id', s.end_to_end_id, t.end_to_end_id), (16, 'idempotency_key', s.idempotency_key, t.idempotency_key),
        (17, 'merchant_reference', s.merchant_reference, t.merchant_reference),
        (18, 'remittance_text', s.remittance_text, t.remittance_text),
        (19, 'original_provider_id', s.original_provider_id, t.original_provider_id),
        (20, 'group_id', s.group_id, t.group_id)) v (position, field, said, recorded)
    WHERE v.said <> v.recorded AND (v.position < 13 OR s.entry_id NOT LIKE 'row-%')
    ORDER BY v.position LIMIT 1) f
WHERE s.provider_id <> t.provider_id OR s.account_id <> t.account_id OR s.booked_on <> t.booked_on OR s.value_on <>
    t.value_on OR s.occurred_at <> t.occurred_at OR s.amount <> t.amount OR s.currency <> t.currency OR s.gross <> t.gross
    OR s.fee <> t.fee OR s.net <> t.net OR s.kind <> t.kind OR s.status <> t.status OR s.entry_id NOT LIKE 'row-%' AND
    (s.counterparty_name <> t.counterparty_name OR s.counterparty_account <> t.counterparty_account OR s.end_to_end_id <>
    t.end_to_end_id OR s.idempotency_key <> t.idempotency_key OR s.merchant_reference <> t.merchant_reference OR
    s.remittance_text <> t.remittance_text OR s.original_provider_id <> t.original_provider_id OR s.group_id <> t.group_id)
ORDER BY s.position
LIMIT $1
