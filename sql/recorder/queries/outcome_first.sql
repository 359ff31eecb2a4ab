-- The first outcome of an attempt together with the firing that saw it: both, or neither if the attempt has an outcome.
-- $1 text attempt_id  $2 timestamptz received_at  $3 text args_sha256  $4 text event  $5 text harness  $6 text payload
-- $7 text payload_sha256  $8 uuid delivery_id  $9 text phase  $10 text notes  $11 text status  $12 text provider_ref
-- $13 timestamptz observed_at  $14 text error
WITH first AS (
    INSERT INTO transfer_outcomes (attempt_id, status, provider_ref, observed_at, args_sha256, error)
    VALUES ($1, $11, $12, $13, $3, $14)
    ON CONFLICT (attempt_id) DO NOTHING
    RETURNING true
)
INSERT INTO hook_deliveries (attempt_id, received_at, args_sha256, event, harness, payload, payload_sha256, delivery_id, phase, notes)
SELECT $1, $2::timestamptz, $3, $4, $5, $6, $7, $8::uuid, $9, $10 FROM first
ON CONFLICT DO NOTHING
