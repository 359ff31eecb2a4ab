-- The current outcome of an attempt, locked until the transaction ends. By primary key.
-- $1 text attempt_id
SELECT status, coalesce(provider_ref, ''), coalesce(error, ''), coalesce(args_sha256, ''), observed_at::text
FROM transfer_outcomes WHERE attempt_id = $1 FOR UPDATE
