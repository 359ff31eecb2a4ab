-- Count and sum of the entries that a run could not see, of every status and of the booked ones, by currency and account. Sums
-- are money out positive.
-- $1 bigint[]  numbers of the entries that a report calls booked and a later stage supersedes
-- By currency and account, entries without an account first; served by ledger_entries_recorded_xid.
SELECT t.currency, t.account_id, count(*) AS entries, (-sum(t.amount))::bigint AS minor,
    count(*) FILTER (WHERE t.status = 'booked' AND counts) AS booked,
    coalesce(-sum(t.amount) FILTER (WHERE t.status = 'booked' AND counts), 0)::bigint AS booked_minor
FROM ledger_entries t
CROSS JOIN LATERAL (SELECT t.report IS NULL OR t.entry_no <> ALL ($1) AS counts) stage
WHERE true /*new t*/
GROUP BY t.currency, t.account_id
ORDER BY t.currency, t.account_id NULLS FIRST
