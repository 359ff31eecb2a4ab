-- The attempts whose reference may be one of these.
-- $1 text[]  references as recon_reference makes them, each once
-- In no order; served by transfer_attempts_like.
SELECT a.attempt_id, a.ref
FROM transfer_attempts a
WHERE hashtextextended(recon_reference(coalesce(a.ref, '')), 0) = ANY (ARRAY(SELECT hashtextextended(k.ref, 0) FROM unnest($1::text[]) AS k (ref)))
    AND a.ref IS NOT NULL
