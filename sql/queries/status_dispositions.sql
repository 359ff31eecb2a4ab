-- The latest decision of each item whose class and evidence are still those that were seen, for who has to follow it up.
-- No parameters. By population and item; reads the last decision and the last event of each item that has a decision.
SELECT d.population, d.item, d.decision, d.note, d.evidence_ref, d.class, d.content, d.prepared_by, d.approved_by, d.decided_at, d.owner, d.due_on, d.approved_on
FROM (SELECT DISTINCT ON (t.population, t.item) t.* FROM dispositions t ORDER BY t.population, t.item, t.disposition_no DESC) d
CROSS JOIN LATERAL (
    SELECT f.class, f.content FROM recon_findings f WHERE f.population = d.population AND f.item = d.item ORDER BY f.run_id DESC LIMIT 1) last
WHERE last.class = d.class AND last.content = d.content
ORDER BY d.population, d.item
