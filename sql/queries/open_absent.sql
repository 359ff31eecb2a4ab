-- The listed attempts whose class rests on coverage and whose days meet one of these ranges.
-- $1 text[]  accounts, folded; $2 boolean[]  whatever the account; $3 date[]  from; $4 date[]  to (excluded); $5 boolean[]  whatever the days
-- In no order; served by recon_open_absent.
SELECT DISTINCT o.item
FROM unnest($1::text[], $2::boolean[], $3::date[], $4::date[], $5::boolean[]) AS r (account, any_account, first, last, any_day)
JOIN recon_open o ON o.absent_to IS NOT NULL AND (r.any_account OR o.absent_account = '' OR o.absent_account = r.account)
    AND (r.any_day OR o.absent_to > r.first AND o.absent_from < r.last)
