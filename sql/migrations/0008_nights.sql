-- What lets a run look only at what changed since the last one: figures to carry on from, what is listed, and indexes by
-- which recorded items are found by what may touch them.

ALTER TABLE recon_runs ADD COLUMN standing json;
COMMENT ON COLUMN recon_runs.standing IS 'What the next run may carry on from, beside totals: control totals, bridge, the sum of what is listed. NULL: the next run looks at everything.';

-- The listed items as of the last run, by what later runs find them by. It is worked out from findings and evidence and is no
-- evidence itself: a run over everything makes it anew.
CREATE TABLE recon_open (
    population  text COLLATE "C" NOT NULL CHECK (population IN ('attempts', 'outcomes', 'entries')),
    item        text COLLATE "C" NOT NULL,
    entry_no    bigint,                   -- of an entry
    next_eval   timestamptz,              -- when time alone may change its class
    absent_account text COLLATE "C",      -- of an attempt of which coverage decides: its account, folded, empty = any in scope
    absent_from date,
    absent_to   date,
    keys        bigint[] NOT NULL,        -- its rows in recon_open_keys
    PRIMARY KEY (population, item),
    CHECK (num_nulls(absent_account, absent_from, absent_to) IN (0, 3))
);
CREATE INDEX recon_open_next_eval ON recon_open (next_eval) WHERE next_eval IS NOT NULL;
CREATE INDEX recon_open_absent ON recon_open (absent_to) WHERE absent_to IS NOT NULL;

-- The ways that lead to listed items. The program makes the keys (recon/touch.go); a key shared by accident does no harm.
CREATE TABLE recon_open_keys (
    key        bigint NOT NULL,
    population text COLLATE "C" NOT NULL,
    item       text COLLATE "C" NOT NULL,
    PRIMARY KEY (key, population, item)
);

-- Keys as they are compared, more coarsely: what the program takes for equal is equal here, and it sorts out the rest.
-- Text outside ASCII, which is rare in keys, is one lot; in references it goes by its digits, which no folding touches.
CREATE FUNCTION recon_key(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length($1) = length($1) THEN lower(translate($1, E' \t\n\x0b\f\r', '') COLLATE "C") ELSE chr(1) END
$$;
CREATE FUNCTION recon_reference(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length($1) = length($1) THEN upper(regexp_replace($1, '[^A-Za-z0-9]', '', 'g') COLLATE "C")
        ELSE chr(1) || regexp_replace($1, '[^0-9]', '', 'g') END
$$;

CREATE INDEX transfer_attempts_id_key ON transfer_attempts (hashtextextended(recon_key(attempt_id), 0));
CREATE INDEX transfer_attempts_key ON transfer_attempts (hashtextextended(recon_key(idempotency_key), 0)) WHERE idempotency_key IS NOT NULL;
CREATE INDEX transfer_attempts_like ON transfer_attempts (hashtextextended(recon_reference(coalesce(ref, '')), 0), amount_cents, proposed_at);
CREATE INDEX transfer_outcomes_ref_key ON transfer_outcomes (hashtextextended(recon_key(provider_ref), 0)) WHERE provider_ref IS NOT NULL;
DROP INDEX transfer_outcomes_provider_ref;
CREATE INDEX ledger_entries_key ON ledger_entries (hashtextextended(recon_key(idempotency_key), 0)) WHERE idempotency_key IS NOT NULL;
CREATE INDEX ledger_entries_end_to_end_key ON ledger_entries (hashtextextended(recon_key(end_to_end_id), 0)) WHERE end_to_end_id IS NOT NULL;
CREATE INDEX ledger_entries_provider_key ON ledger_entries (hashtextextended(recon_key(provider_id), 0)) WHERE provider_id IS NOT NULL;
DROP INDEX ledger_entries_provider_id;
