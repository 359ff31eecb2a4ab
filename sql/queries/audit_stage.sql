-- Staging tables of an import of audit calls: one row a firing, the call repeated on each; and firings of the hook.
-- No parameters. Gone at the end of the transaction.
CREATE TEMPORARY TABLE stage_audit (
    line           integer NOT NULL,
    attempt_id     text COLLATE "C" NOT NULL,
    session_id     text COLLATE "C",
    amount_cents   bigint NOT NULL,
    dest_account   text COLLATE "C",
    ref            text COLLATE "C",
    proposed_at    timestamptz NOT NULL,
    currency       text COLLATE "C" NOT NULL,
    source_account text COLLATE "C",
    id_source      text COLLATE "C" NOT NULL,
    fired_at       timestamptz NOT NULL,
    last_fired_at  timestamptz NOT NULL
) ON COMMIT DROP;
CREATE TEMPORARY TABLE stage_deliveries (
    attempt_id  text COLLATE "C" NOT NULL,
    received_at timestamptz NOT NULL,
    own         boolean NOT NULL  -- the attempt's own time is one of its firings
) ON COMMIT DROP
