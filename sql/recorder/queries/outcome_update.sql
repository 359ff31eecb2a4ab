-- Replaces the current outcome of an attempt; the trigger keeps every version in the history.
-- Parameters as in outcome_insert.sql; $7 interval later than that, so that the order of two in one transaction is plain.
UPDATE transfer_outcomes
SET status = $2, provider_ref = $3, observed_at = $4::timestamptz + $7::interval, args_sha256 = $5, error = $6
WHERE attempt_id = $1
