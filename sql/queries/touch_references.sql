-- The attempts whose reference may be one of these.
-- $1 text[]  references as the index has them, each once
-- In no order; served by transfer_attempts_like.
SELECT a.attempt_id, a.ref
FROM transfer_attempts a
WHERE left(recon_reference(coalesce(a.ref, '')), 35) = ANY ((SELECT $1::text[])::text[]) AND a.ref IS NOT NULL
