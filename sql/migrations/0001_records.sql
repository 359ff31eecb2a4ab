-- What hooks record: attempts, outcomes, deliveries and session events, and the means that keep evidence from changing.
--
-- Ids compare byte by byte (COLLATE "C"), amounts are bigint minor units, moments are timestamptz. Every evidence row
-- carries recorded_xid, the transaction that wrote it: a run stores its snapshot, and what the snapshot does not see is
-- new to the next run. Timestamps and sequences cannot say that, for a transaction may commit late.

-- A cluster's transaction ids mean nothing in another one. After a restore or a logical move "recon migrate" opens a new
-- epoch and makes it the default of every epoch column.
CREATE TABLE recon_epochs (
    epoch             integer PRIMARY KEY,
    system_identifier text COLLATE "C" NOT NULL,
    opened_at         timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO recon_epochs (epoch, system_identifier)
SELECT 1, system_identifier::text FROM pg_control_system();

CREATE FUNCTION recon_refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% of % refused: the table is append-only evidence', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', HINT = 'Record a correction as a new row.';
END
$$;

-- The first six columns are those that existing hooks write.
CREATE TABLE transfer_attempts (
    attempt_id      text COLLATE "C" PRIMARY KEY CHECK (attempt_id <> ''),
    session_id      text COLLATE "C",
    amount_cents    bigint NOT NULL CHECK (amount_cents BETWEEN -9999999999999999 AND 9999999999999999),
    dest_account    text COLLATE "C",
    ref             text COLLATE "C",
    proposed_at     timestamptz NOT NULL,
    -- The database's own currency: ALTER DATABASE … SET recon.currency = 'CHF'.
    currency        text COLLATE "C" NOT NULL
                    DEFAULT coalesce(nullif(current_setting('recon.currency', true), ''), 'EUR')
                    CHECK (currency ~ '^[A-Z]{3}$'),
    source_account  text COLLATE "C",
    idempotency_key text COLLATE "C",
    key_source      text COLLATE "C",
    id_source       text COLLATE "C" NOT NULL DEFAULT 'unspecified'
                    CHECK (id_source IN ('tool_use_id', 'weak_tool_use_id', 'fallback_hash', 'legacy_window', 'unspecified')),
    args_sha256     text COLLATE "C",
    tool            text COLLATE "C",
    harness         text COLLATE "C",
    agent_id        text COLLATE "C",
    turn_id         text COLLATE "C",
    recorded_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_xid    xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch           integer NOT NULL DEFAULT 1
);
CREATE INDEX transfer_attempts_recorded_xid ON transfer_attempts (recorded_xid);
CREATE INDEX transfer_attempts_session ON transfer_attempts (session_id, proposed_at);
CREATE INDEX transfer_attempts_args ON transfer_attempts (args_sha256) WHERE args_sha256 IS NOT NULL;

-- The current outcome of each attempt. Hooks overwrite it in place, so it is no evidence; transfer_outcome_history is.
-- A seventh of each page stays free, so that an overwrite stays on its page and touches no index.
CREATE TABLE transfer_outcomes (
    attempt_id   text COLLATE "C" PRIMARY KEY CHECK (attempt_id <> ''),
    status       text COLLATE "C" NOT NULL
                 CHECK (status IN ('succeeded', 'failed', 'denied', 'interrupted', 'timeout', 'unknown')),
    provider_ref text COLLATE "C",
    observed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    args_sha256  text COLLATE "C",
    error        text COLLATE "C",
    versions     integer NOT NULL DEFAULT 1  -- rows of the attempt in the history, kept by trigger
) WITH (fillfactor = 85);
CREATE INDEX transfer_outcomes_provider_ref ON transfer_outcomes (provider_ref) WHERE provider_ref IS NOT NULL;

CREATE TABLE transfer_outcome_history (
    version_no   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id   text COLLATE "C" NOT NULL,
    status       text COLLATE "C" NOT NULL
                 CHECK (status IN ('succeeded', 'failed', 'denied', 'interrupted', 'timeout', 'unknown')),
    provider_ref text COLLATE "C",
    observed_at  timestamptz NOT NULL,
    args_sha256  text COLLATE "C",
    error        text COLLATE "C",
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1
);
CREATE INDEX transfer_outcome_history_attempt ON transfer_outcome_history (attempt_id, version_no);
CREATE INDEX transfer_outcome_history_recorded_xid ON transfer_outcome_history (recorded_xid);

-- The hooks' ON CONFLICT DO UPDATE does not set observed_at, so the moment of a later observation would be lost. The
-- row that was proposed for insertion had it: it is remembered for the update that may follow, as microseconds.
CREATE FUNCTION recon_outcome_proposed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_catalog.set_config('recon.outcome_proposed',
        (extract(epoch FROM NEW.observed_at) * 1000000)::bigint || ' ' || NEW.attempt_id, true);
    RETURN NEW;
END
$$;
-- An import sets recon.importing: it sets observed_at itself, and a million calls less are seconds less.
CREATE TRIGGER a_proposed BEFORE INSERT ON transfer_outcomes
    FOR EACH ROW WHEN (current_setting('recon.importing', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION recon_outcome_proposed();

-- An import that adds older observations raises versions itself; everything else leaves versions alone. The moment of
-- the current outcome never goes back, so that the latest version by observed_at is the current one.
CREATE FUNCTION recon_outcome_overwritten() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    proposed text := pg_catalog.current_setting('recon.outcome_proposed', true);
BEGIN
    IF NEW.attempt_id <> OLD.attempt_id THEN
        RAISE EXCEPTION 'UPDATE of transfer_outcomes refused: an outcome cannot move to another attempt'
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.versions <> OLD.versions THEN
        RETURN NEW;
    END IF;
    IF (NEW.status, NEW.provider_ref, NEW.args_sha256, NEW.error)
        IS NOT DISTINCT FROM (OLD.status, OLD.provider_ref, OLD.args_sha256, OLD.error) THEN
        -- The same observation, delivered again: the moment of the first delivery stays.
        NEW.observed_at := OLD.observed_at;
        RETURN NEW;
    END IF;
    NEW.versions := OLD.versions + 1;
    IF NEW.observed_at = OLD.observed_at THEN
        IF substr(proposed, strpos(proposed, ' ') + 1) = NEW.attempt_id THEN
            NEW.observed_at := timestamptz 'epoch' + split_part(proposed, ' ', 1)::bigint * interval '1 microsecond';
        ELSE
            NEW.observed_at := clock_timestamp();
        END IF;
    END IF;
    NEW.observed_at := greatest(NEW.observed_at, OLD.observed_at);
    RETURN NEW;
END
$$;
CREATE TRIGGER a_overwritten BEFORE UPDATE ON transfer_outcomes
    FOR EACH ROW EXECUTE FUNCTION recon_outcome_overwritten();

-- Every version goes to the history with the rights of the tables' owner: who may write outcomes can neither write nor
-- avoid the history.
CREATE FUNCTION recon_outcome_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.transfer_outcome_history (attempt_id, status, provider_ref, observed_at, args_sha256, error)
    SELECT attempt_id, status, provider_ref, observed_at, args_sha256, error FROM inserted ORDER BY attempt_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER history_of_insert AFTER INSERT ON transfer_outcomes REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT EXECUTE FUNCTION recon_outcome_inserted();

CREATE FUNCTION recon_outcome_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.transfer_outcome_history (attempt_id, status, provider_ref, observed_at, args_sha256, error)
    SELECT n.attempt_id, n.status, n.provider_ref, n.observed_at, n.args_sha256, n.error
    FROM updated n JOIN replaced o USING (attempt_id)
    WHERE (n.status, n.provider_ref, n.observed_at, n.args_sha256, n.error)
        IS DISTINCT FROM (o.status, o.provider_ref, o.observed_at, o.args_sha256, o.error)
    ORDER BY n.attempt_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER history_of_update AFTER UPDATE ON transfer_outcomes REFERENCING OLD TABLE AS replaced NEW TABLE AS updated
    FOR EACH STATEMENT EXECUTE FUNCTION recon_outcome_updated();

-- One row per firing of a hook before a call. An attempt without delivery rows counts one.
CREATE TABLE hook_deliveries (
    delivery_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id   text COLLATE "C" NOT NULL CHECK (attempt_id <> ''),
    received_at  timestamptz NOT NULL,
    args_sha256  text COLLATE "C",
    event        text COLLATE "C",            -- the harness's name of the hook event
    harness      text COLLATE "C",
    payload      text,                        -- what the harness sent; the one column that retention may leave out
    payload_sha256 text COLLATE "C",
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1
);
CREATE INDEX hook_deliveries_attempt ON hook_deliveries (attempt_id, received_at);
CREATE INDEX hook_deliveries_recorded_xid ON hook_deliveries (recorded_xid);

CREATE TABLE session_events (
    event_no     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_id   text COLLATE "C" NOT NULL CHECK (session_id <> ''),
    event        text COLLATE "C" NOT NULL
                 CHECK (event IN ('started', 'resumed', 'interrupted', 'crashed', 'ended')),
    at           timestamptz NOT NULL,
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1,
    UNIQUE (session_id, at, event)
);
CREATE INDEX session_events_recorded_xid ON session_events (recorded_xid);
