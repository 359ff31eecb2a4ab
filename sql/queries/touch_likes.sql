-- The attempts that may look like one asked twice: by reference, amount and time.
-- $1 text[]  references as the index has them; $2 bigint[]  amounts; $3 timestamptz[]  first moments; $4 timestamptz[]  last moments
-- In no order; served by transfer_attempts_like.
SELECT a.attempt_id, a.amount_cents, a.currency, a.dest_account, a.ref, a.proposed_at, asked.no::integer AS asked
FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY AS asked (ref, minor, first, last, no)
CROSS JOIN LATERAL (
    SELECT a.attempt_id, a.amount_cents, a.currency, a.dest_account, a.ref, a.proposed_at FROM transfer_attempts a
    WHERE left(recon_reference(coalesce(a.ref, '')), 35) = asked.ref
        AND a.amount_cents = asked.minor AND a.proposed_at >= asked.first AND a.proposed_at <= asked.last OFFSET 0) a
