-- Appends one firing of a hook, or one that is lost but for its bytes. One that is there already, by its id, adds nothing.
-- $1 text attempt_id  $2 timestamptz received_at  $3 text args_sha256  $4 text event  $5 text harness  $6 text payload
-- $7 text payload_sha256  $8 uuid delivery_id  $9 text phase  $10 text notes
INSERT INTO hook_deliveries (attempt_id, received_at, args_sha256, event, harness, payload, payload_sha256, delivery_id, phase, notes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT DO NOTHING
