-- Counts the staged versions of attempts whose current outcome is later than all of them. An outcome inserted by this
-- import has the very moment of the latest and is not touched.
-- No parameters.
UPDATE transfer_outcomes t SET versions = t.versions + s.n
FROM (SELECT attempt_id, max(observed_at) AS observed_at, count(*) AS n FROM stage_outcomes GROUP BY attempt_id) s
WHERE t.attempt_id = s.attempt_id AND s.observed_at < t.observed_at
