-- What runs up to one had concluded of every item that was ever listed, cleared ones included, with its amount and when
-- it belongs to, and every class that it ever had.
-- $1 bigint  run id
-- By population and item; served by the primary key of recon_findings.
SELECT last.population, last.item, last.class, last.content, last.outcome, last.settlement,
    coalesce(a.amount_cents, -e.amount, 0) AS minor, coalesce(a.currency, e.currency) AS currency,
    coalesce(a.proposed_at, o.observed_at) AS at, e.booked_on AS on_day, last.classes
FROM (SELECT DISTINCT ON (f.population, f.item) f.population, f.item, f.class, f.content, f.outcome, f.settlement,
          array_agg(f.class) OVER (PARTITION BY f.population, f.item) AS classes
      FROM recon_findings f WHERE f.run_id <= $1 ORDER BY f.population, f.item, f.run_id DESC) last
LEFT JOIN transfer_attempts a ON last.population = 'attempts' AND a.attempt_id = last.item
LEFT JOIN ledger_entries e ON last.population = 'entries' AND e.entry_id = last.item
LEFT JOIN transfer_outcomes o ON last.population = 'outcomes' AND o.attempt_id = last.item
ORDER BY last.population, last.item
