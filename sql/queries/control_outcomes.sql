-- How many attempts have an outcome, in a period. An outcome belongs to the period of its attempt, joined by id or else
-- by an argument hash that exactly one attempt has; without an attempt to that of its own time.
-- $1 timestamptz  start of the period, NULL = none; $2 timestamptz  its end (excluded), NULL = none
-- One row.
SELECT count(*) AS outcomes
FROM /*outcomes*/transfer_outcomes o
LEFT JOIN transfer_attempts a ON a.attempt_id = o.attempt_id /*visible a*/
LEFT JOIN LATERAL (
    SELECT min(a.proposed_at) AS proposed_at FROM transfer_attempts a
    WHERE a.args_sha256 = o.args_sha256 /*visible a*/ HAVING count(*) = 1) hashed ON a.attempt_id IS NULL
CROSS JOIN LATERAL (SELECT coalesce(a.proposed_at, hashed.proposed_at, o.observed_at) AS at) dated
WHERE (dated.at >= $1 OR $1 IS NULL) AND (dated.at < $2 OR $2 IS NULL)
