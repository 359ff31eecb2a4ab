-- What somebody writes in an afternoon instead: the files into tables, one join by key, a class by CASE, a line for each row.
-- It knows no rejected or reversed entries, no windows, coverage, parts, batches, cut references or look-alikes, and proves
-- nothing. The key falls back on the row's own id, for a FULL JOIN on a key that may be missing never ends.
\set ON_ERROR_STOP on
SET work_mem = '128MB';
CREATE UNLOGGED TABLE a (attempt_id text, session_id text, amount_cents bigint, currency text, source_account text, dest_account text,
    ref text, idempotency_key text, id_source text, proposed_at timestamptz, args_sha256 text);
CREATE UNLOGGED TABLE o (attempt_id text, status text, provider_ref text, observed_at timestamptz, args_sha256 text);
CREATE UNLOGGED TABLE l (entry_id text, provider_id text, account_id text, booked_on date, occurred_at timestamptz, amount text,
    currency text, gross text, kind text, status text, counterparty_account text, end_to_end_id text, idempotency_key text,
    merchant_reference text, remittance_text text, original_provider_id text, orig_amount text, orig_currency text);
\copy a FROM 'attempts.csv' CSV HEADER
\copy o FROM 'outcomes.csv' CSV HEADER
\copy l FROM 'ledger.csv' CSV HEADER
\copy l FROM 'ledger-before-gap.csv' CSV HEADER
\copy l FROM 'ledger-after-gap.csv' CSV HEADER
ANALYZE a, o, l;
CREATE TEMPORARY VIEW items AS
WITH latest AS (SELECT DISTINCT ON (attempt_id) * FROM o ORDER BY attempt_id, observed_at DESC),
attempts AS (SELECT a.*, latest.status, coalesce(a.idempotency_key, a.attempt_id) AS key FROM a LEFT JOIN latest USING (attempt_id)),
entries AS (
    SELECT l.*, coalesce(idempotency_key, end_to_end_id, entry_id) AS key, replace(amount, '.', '')::bigint AS minor
    FROM l WHERE status = 'booked' AND kind = 'payment')
SELECT attempts.attempt_id, entries.entry_id,
    CASE WHEN attempts.attempt_id IS NULL THEN 'unattempted_movement'
         WHEN attempts.status IN ('failed', 'denied') THEN CASE WHEN entry_id IS NULL THEN 'failed_confirmed' ELSE 'failed_but_settled' END
         WHEN attempts.status IS DISTINCT FROM 'succeeded' THEN CASE WHEN entry_id IS NULL THEN 'unknown_not_settled' ELSE 'unknown_settled' END
         WHEN entry_id IS NULL THEN 'missing_in_ledger'
         WHEN entries.currency <> attempts.currency THEN 'currency_variance'
         WHEN -entries.minor <> attempts.amount_cents THEN 'amount_variance'
         WHEN entries.counterparty_account <> attempts.dest_account THEN 'payee_variance'
         WHEN count(entry_id) OVER (PARTITION BY attempts.attempt_id) > 1 THEN 'duplicate_settlement'
         ELSE 'matched' END AS class
FROM attempts FULL JOIN entries USING (key);
\copy (SELECT * FROM items ORDER BY attempt_id, entry_id) TO 'peer.csv' CSV HEADER
