-- The first outcome of an attempt; no row if another transaction was faster.
-- $1 text attempt_id  $2 text status  $3 text provider_ref  $4 timestamptz observed_at  $5 text args_sha256  $6 text error
INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at, args_sha256, error)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (attempt_id) DO NOTHING
