-- The attempts whose reference may begin with one of these.
-- $1 text[]  what references begin with, as the index has them, each once; $2 text[]  the first text after those that do
-- $3 bigint  at most so many for each
-- In no order; served by transfer_attempts_like.
SELECT a.attempt_id, a.ref, asked.first
FROM unnest($1::text[], $2::text[]) AS asked (first, after)
CROSS JOIN LATERAL (
    SELECT a.attempt_id, a.ref FROM transfer_attempts a
    WHERE left(recon_reference(coalesce(a.ref, '')), 35) >= asked.first AND left(recon_reference(coalesce(a.ref, '')), 35) < asked.after
        AND a.ref IS NOT NULL LIMIT $3) a
