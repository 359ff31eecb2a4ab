-- Every attempt, in the fields that keyed agreement needs.
-- No parameters. In no order: one scan.
SELECT a.attempt_id, a.amount_cents, a.currency, a.source_account, a.dest_account, a.ref, a.idempotency_key, a.id_source, a.proposed_at
FROM transfer_attempts a
WHERE true /*visible a*/
