-- Appends one firing of the hook before a call, or one that is lost but for its bytes.
-- $1 text attempt_id  $2 timestamptz received_at  $3 text args_sha256  $4 text event  $5 text harness  $6 text payload
-- $7 text payload_sha256
INSERT INTO hook_deliveries (attempt_id, received_at, args_sha256, event, harness, payload, payload_sha256)
VALUES ($1, $2, $3, $4, $5, $6, $7)
