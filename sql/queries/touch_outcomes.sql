-- The attempts whose current outcome may have one of these provider references, and whether no such attempt is recorded.
-- $1 text[]  references as recon_key makes them, each once
-- In no order; served by transfer_outcomes_ref_key.
SELECT o.attempt_id, o.provider_ref, NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = o.attempt_id) AS orphan
FROM unnest($1::text[]) AS asked (key)
CROSS JOIN LATERAL (
    SELECT o.attempt_id, o.provider_ref FROM transfer_outcomes o
    WHERE hashtextextended(recon_key(o.provider_ref), 0) = hashtextextended(asked.key, 0) AND o.provider_ref IS NOT NULL OFFSET 0) o
