-- What was listed as of a run: the last event of each item up to it, where that is not that it was cleared; and in which run.
-- $1 bigint  run id
-- By population and item; served by the primary key of recon_findings.
SELECT last.population, last.item, last.event, last.class, last.outcome, last.settlement, last.variance, last.rule, last.tier, last.reason,
    last.cause, last.stale, last.related, last.flags, last.differences, last.content
FROM (SELECT DISTINCT ON (f.population, f.item) f.*
      FROM recon_findings f WHERE f.run_id <= $1 ORDER BY f.population, f.item, f.run_id DESC) last
WHERE last.event <> 'cleared'
ORDER BY last.population, last.item
