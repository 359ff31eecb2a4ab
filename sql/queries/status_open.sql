-- The items that are open, by population and class: how many, since when the oldest, and which that is.
-- No parameters. One row a class, by population and class; reads the last event of each item.
SELECT o.population, o.class, count(*) AS items, min(o.since) AS oldest, (array_agg(o.item ORDER BY o.since, o.item))[1] AS first
FROM (
    SELECT last.population, last.class, last.item,
           coalesce(a.proposed_at, t.observed_at, e.occurred_at, e.booked_on::timestamp AT TIME ZONE 'UTC') AS since
    FROM (SELECT DISTINCT ON (f.population, f.item) f.population, f.item, f.event, f.class
          FROM recon_findings f ORDER BY f.population, f.item, f.run_id DESC) last
    LEFT JOIN transfer_attempts a ON last.population = 'attempts' AND a.attempt_id = last.item
    LEFT JOIN transfer_outcomes t ON last.population = 'outcomes' AND t.attempt_id = last.item
    LEFT JOIN ledger_entries e ON last.population = 'entries' AND e.entry_id = last.item
    WHERE last.event <> 'cleared'
) o
GROUP BY o.population, o.class
ORDER BY o.population, o.class
