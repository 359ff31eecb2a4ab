-- The items whose last event is not cleared, with what their finding said.
-- No parameters. By population and item; served by the primary key of recon_findings.
SELECT last.population, last.item, last.content
FROM (SELECT DISTINCT ON (f.population, f.item) f.population, f.item, f.event, f.content
      FROM recon_findings f ORDER BY f.population, f.item, f.run_id DESC) last
WHERE last.event <> 'cleared'
ORDER BY last.population, last.item
