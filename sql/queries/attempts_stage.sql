-- Staging tables of an import of attempts: rows as read, and firings of the hook.
-- No parameters. Gone at the end of the transaction.
CREATE TEMPORARY TABLE stage_attempts (
    line            integer NOT NULL,
    attempt_id      text COLLATE "C" NOT NULL,
    session_id      text COLLATE "C",
    amount_cents    bigint NOT NULL,
    dest_account    text COLLATE "C",
    ref             text COLLATE "C",
    proposed_at     timestamptz NOT NULL,
    currency        text COLLATE "C" NOT NULL,
    source_account  text COLLATE "C",
    idempotency_key text COLLATE "C",
    key_source      text COLLATE "C",
    id_source       text COLLATE "C",
    args_sha256     text COLLATE "C",
    tool            text COLLATE "C",
    harness         text COLLATE "C",
    agent_id        text COLLATE "C",
    turn_id         text COLLATE "C",
    host            text COLLATE "C"
) ON COMMIT DROP;
CREATE TEMPORARY TABLE stage_deliveries (
    attempt_id  text COLLATE "C" NOT NULL,
    received_at timestamptz NOT NULL,
    own         boolean NOT NULL  -- the attempt's own time is one of its firings
) ON COMMIT DROP
