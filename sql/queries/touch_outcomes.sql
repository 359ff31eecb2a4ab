-- The attempts, recorded or not, whose current outcome may have one of these provider references.
-- $1 text[]  references as recon_key makes them, each once
-- In no order; served by transfer_outcomes_ref_key.
SELECT o.attempt_id, o.provider_ref
FROM transfer_outcomes o
WHERE hashtextextended(recon_key(o.provider_ref), 0) = ANY (ARRAY(SELECT hashtextextended(k.key, 0) FROM unnest($1::text[]) AS k (key)))
    AND o.provider_ref IS NOT NULL
