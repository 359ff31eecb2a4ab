-- What a run said: its finding events.
-- $1 bigint  run id
-- By population and item; served by recon_findings_run.
SELECT f.population, f.item, f.event, f.class, f.outcome, f.settlement, f.variance, f.rule, f.tier, f.reason, f.cause, f.stale,
    f.related, f.flags, f.differences, f.content
FROM recon_findings f
WHERE f.run_id = $1
ORDER BY f.population, f.item
