-- The ids of attempts with one of these argument hashes.
-- $1 text[]  hashes
-- By id; served by transfer_attempts_args.
SELECT a.attempt_id FROM transfer_attempts a
WHERE a.args_sha256 = ANY ($1) /*visible a*/
ORDER BY a.attempt_id
