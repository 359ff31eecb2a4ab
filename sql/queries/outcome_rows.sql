-- Every current outcome, whether its attempt is recorded or not, in the fields that keyed agreement needs.
-- No parameters. In no order: one scan.
SELECT o.attempt_id, o.status, o.provider_ref, o.versions
FROM /*outcomes*/transfer_outcomes o
