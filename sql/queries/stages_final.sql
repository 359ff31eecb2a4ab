-- The final entries that may be the later stage of an announcement: of its amount, of its batch, or of its id.
-- No parameters; a night's mark stands for what the last run could see. In no order; one scan, and none where nothing is announced.
WITH announced AS (
    SELECT e.currency, e.amount, e.group_id, split_part(e.entry_id, '~', 1) AS own_id
    FROM ledger_entries e
    WHERE (e.report IS NOT NULL OR e.status IN ('pending', 'info', 'expected', 'unknown')) /*visible e*/)
SELECT e.entry_no, e.entry_id, e.account_id, e.booked_on, e.amount, e.currency, e.status, e.report, e.provider_id, e.details->>'uetr' AS uetr,
    e.end_to_end_id, e.idempotency_key, e.details->>'transaction_id' AS transaction_id, e.group_id, e.children IS NOT NULL AS detailed,
    true /*old e*/ AS seen
FROM ledger_entries e
WHERE e.report IS NULL AND e.status IN ('booked', 'rejected')
    AND ((e.currency, e.amount) IN (SELECT a.currency, a.amount FROM announced a)
        OR e.group_id IN (SELECT a.group_id FROM announced a WHERE a.group_id IS NOT NULL)
        OR e.entry_id IN (SELECT a.own_id FROM announced a)) /*visible e*/
