-- What runs conclude, and what people decide about it.

-- Locked by each run as its first statement (LOCK TABLE … IN EXCLUSIVE MODE NOWAIT), so that there is one run at a
-- time, behind any pooler, and its snapshot is taken after the lock. It stays empty.
CREATE TABLE recon_lock (locked boolean);

-- Run numbers have no gaps: they are given under the lock. json and not jsonb, for the digest is over these very bytes.
CREATE TABLE recon_runs (
    run_id            bigint PRIMARY KEY CHECK (run_id > 0),
    kind              text COLLATE "C" NOT NULL CHECK (kind IN ('full', 'incremental')),
    slot_key          text COLLATE "C" UNIQUE,
    as_of             timestamptz NOT NULL,
    recorded_at       timestamptz NOT NULL,
    recorded_by       text COLLATE "C" NOT NULL,
    program           text COLLATE "C" NOT NULL,
    rule_set          text COLLATE "C" NOT NULL,
    snapshot          pg_snapshot NOT NULL,
    epoch             integer NOT NULL,
    system_identifier text COLLATE "C" NOT NULL,
    policy            json NOT NULL,
    totals            json NOT NULL,
    rows_digest       text COLLATE "C" NOT NULL CHECK (rows_digest ~ '^[0-9a-f]{64}$'),
    evidence_digest   text COLLATE "C" NOT NULL CHECK (evidence_digest ~ '^[0-9a-f]{64}$'),
    previous          text COLLATE "C" NOT NULL CHECK (previous ~ '^([0-9a-f]{64})?$'),
    digest            text COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$')
);

-- Events: an item stays as its last event says until the next one. An item without events is clean by implication.
CREATE TABLE recon_findings (
    run_id       bigint NOT NULL REFERENCES recon_runs,
    population   text COLLATE "C" NOT NULL CHECK (population IN ('attempts', 'outcomes', 'entries')),
    item         text COLLATE "C" NOT NULL,   -- attempt_id or entry_id
    event        text COLLATE "C" NOT NULL CHECK (event IN ('opened', 'changed', 'cleared')),
    class        text COLLATE "C",            -- NULL: cleared
    outcome      text COLLATE "C",
    settlement   text COLLATE "C",
    variance     text COLLATE "C",
    rule         text COLLATE "C",
    tier         smallint NOT NULL DEFAULT 0,
    reason       text COLLATE "C",            -- why an entry is out of scope; what a cause rests on
    cause        text COLLATE "C",
    stale        boolean NOT NULL DEFAULT false,
    related      text[] COLLATE "C" NOT NULL DEFAULT '{}', -- attempts of an entry, candidates of an attempt, attempt of an outcome
    flags        json NOT NULL DEFAULT '[]',
    differences  json NOT NULL DEFAULT '[]',
    content      text COLLATE "C" NOT NULL,   -- digest of the finding: what makes it "changed"
    PRIMARY KEY (population, item, run_id),
    CHECK ((event = 'cleared') = (class IS NULL))
);
CREATE INDEX recon_findings_run ON recon_findings (run_id);

-- The links of findings, written with the event that they belong to. A clean pair has none: it is implied.
CREATE TABLE recon_links (
    run_id     bigint NOT NULL REFERENCES recon_runs,
    attempt_id text COLLATE "C" NOT NULL,
    position   integer NOT NULL,
    entry_no   bigint NOT NULL,
    tier       smallint NOT NULL,
    role       text COLLATE "C" NOT NULL CHECK (role IN ('settles', 'excess', 'reversal', 'pending', 'rejected', 'shared')),
    PRIMARY KEY (attempt_id, run_id, position)
);
CREATE INDEX recon_links_run ON recon_links (run_id);
CREATE INDEX recon_links_entry ON recon_links (entry_no);

-- A mark says that at a run an attempt had no definite outcome when it should have had one. It is an opinion and lives
-- apart from outcomes, which are facts. A later definite outcome adds a superseded row; nothing is taken back.
CREATE TABLE unknown_marks (
    mark_no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    attempt_id   text COLLATE "C" NOT NULL,
    run_id       bigint NOT NULL REFERENCES recon_runs,
    mark         text COLLATE "C" NOT NULL CHECK (mark IN ('unknown', 'superseded')),
    marked_at    timestamptz NOT NULL,        -- the run's as_of
    age          interval,                    -- of the attempt then
    threshold    interval,                    -- the policy's stale_after
    status       text COLLATE "C",            -- superseded: by this outcome
    observed_at  timestamptz,                 -- superseded: observed then
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1,
    CHECK ((mark = 'unknown') = (age IS NOT NULL AND threshold IS NOT NULL)),
    CHECK ((mark = 'superseded') = (status IS NOT NULL AND observed_at IS NOT NULL))
);
CREATE UNIQUE INDEX unknown_marks_once ON unknown_marks (attempt_id) WHERE mark = 'unknown';
CREATE UNIQUE INDEX unknown_marks_superseded_once ON unknown_marks (attempt_id) WHERE mark = 'superseded';
CREATE INDEX unknown_marks_run ON unknown_marks (run_id);

CREATE TABLE run_slots (
    slot_key    text COLLATE "C" PRIMARY KEY, -- wall-clock minute, such as 2026-03-29T02:30
    due_at      timestamptz NOT NULL,
    state       text COLLATE "C" NOT NULL CHECK (state IN ('claimed', 'ran', 'missed', 'failed')),
    tries       integer NOT NULL DEFAULT 1,
    claimed_at  timestamptz,
    claimed_by  text COLLATE "C",
    finished_at timestamptz,
    run_id      bigint REFERENCES recon_runs,
    detail      text COLLATE "C"
);
CREATE INDEX run_slots_due ON run_slots (due_at);

CREATE TABLE exports (
    export_no   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id      bigint NOT NULL REFERENCES recon_runs,
    path        text COLLATE "C" NOT NULL,
    sha256      text COLLATE "C" NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    digest      text COLLATE "C" NOT NULL,    -- the run's
    period_from date,
    period_to   date,
    issued      boolean NOT NULL DEFAULT false, -- the baseline of the next roll-forward
    issued_by   text COLLATE "C" NOT NULL,
    issued_at   timestamptz NOT NULL
);

-- Reviewers' decisions. They stand beside a class and never change it.
CREATE TABLE dispositions (
    disposition_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    population     text COLLATE "C" NOT NULL CHECK (population IN ('attempts', 'outcomes', 'entries')),
    item           text COLLATE "C" NOT NULL,
    decision       text COLLATE "C" NOT NULL
                   CHECK (decision IN ('evidence_seen_settled', 'evidence_seen_not_executed', 'accepted_by_management',
                       'written_off', 'escalated', 'under_investigation')),
    note           text COLLATE "C" NOT NULL,
    evidence_ref   text COLLATE "C",
    class          text COLLATE "C" NOT NULL, -- as it was seen; another class or content reopens the item
    content        text COLLATE "C" NOT NULL,
    prepared_by    text COLLATE "C" NOT NULL CHECK (prepared_by <> ''),
    approved_by    text COLLATE "C" CHECK (approved_by <> prepared_by),
    decided_at     timestamptz NOT NULL,
    recorded_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_xid   xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch          integer NOT NULL DEFAULT 1,
    CHECK (approved_by IS NOT NULL OR decision IN ('escalated', 'under_investigation'))
);
CREATE INDEX dispositions_item ON dispositions (population, item);

-- What was accepted against the rules or changed in them: failed proofs, scope, policy.
CREATE TABLE overrides (
    override_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind         text COLLATE "C" NOT NULL CHECK (kind IN ('failed_proof', 'scope', 'policy', 'resume')),
    subject      text COLLATE "C" NOT NULL,
    reason       text COLLATE "C" NOT NULL CHECK (reason <> ''),
    decided_by   text COLLATE "C" NOT NULL,
    decided_at   timestamptz NOT NULL,
    file_no      bigint REFERENCES ledger_files,
    recorded_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1
);

-- A definite outcome beats a mark, and a mark beats nothing.
CREATE VIEW transfer_status AS
SELECT a.attempt_id, a.session_id, a.amount_cents, a.currency, a.dest_account, a.ref, a.proposed_at,
    CASE WHEN o.status IN ('succeeded', 'failed', 'denied') THEN o.status
         WHEN m.attempt_id IS NOT NULL THEN 'unknown'
         ELSE 'pending' END AS status,
    o.status AS observed_status, o.provider_ref, o.observed_at, m.marked_at, m.run_id AS marked_by_run
FROM transfer_attempts a
LEFT JOIN transfer_outcomes o USING (attempt_id)
LEFT JOIN unknown_marks m ON m.attempt_id = a.attempt_id AND m.mark = 'unknown';
