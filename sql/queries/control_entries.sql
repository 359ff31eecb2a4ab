-- Count and sum of the entries booked in a period, of every status and of the booked ones, by currency and account. Sums are
-- money out positive.
-- $1 date  first day of the period, NULL = none; $2 date  its end (excluded), NULL = none
-- $3 bigint[]  numbers of the entries that a report calls booked and a later stage supersedes
-- By currency and account, entries without an account first.
SELECT e.currency, e.account_id, count(*) AS entries, (-sum(e.amount))::bigint AS minor,
    count(*) FILTER (WHERE e.status = 'booked' AND counts) AS booked,
    coalesce(-sum(e.amount) FILTER (WHERE e.status = 'booked' AND counts), 0)::bigint AS booked_minor
FROM ledger_entries e
CROSS JOIN LATERAL (SELECT e.report IS NULL OR e.entry_no <> ALL ($3) AS counts) stage
WHERE (e.booked_on >= $1 OR $1 IS NULL) AND (e.booked_on < $2 OR $2 IS NULL) /*visible e*/
GROUP BY e.currency, e.account_id
ORDER BY e.currency, e.account_id NULLS FIRST
