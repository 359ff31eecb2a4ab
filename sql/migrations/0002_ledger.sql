-- What was imported: files of every kind, and the payments ledger.

-- One row per imported file, whatever it holds; the same bytes are imported once per population.
CREATE TABLE ledger_files (
    file_no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sha256       text COLLATE "C" NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    population   text COLLATE "C" NOT NULL
                 CHECK (population IN ('attempts', 'outcomes', 'sessions', 'audit', 'ledger')),
    name         text COLLATE "C" NOT NULL,
    format       text COLLATE "C" NOT NULL,
    profile      text COLLATE "C",
    accounts     text[] COLLATE "C" NOT NULL DEFAULT '{}',
    statements   json NOT NULL DEFAULT '[]',  -- per statement: id, account, period, opening, closing, proof
    rows_read    bigint NOT NULL,
    rows_new     bigint NOT NULL,
    totals       json NOT NULL DEFAULT '[]',  -- control totals: currency, count, minor
    expected     json NOT NULL DEFAULT '[]',  -- the same, told from outside the file
    proof_state  text COLLATE "C" NOT NULL CHECK (proof_state IN ('ok', 'failed', 'none')),
    proof_detail text COLLATE "C",
    imported_at  timestamptz NOT NULL,
    imported_by  text COLLATE "C" NOT NULL,
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1,
    UNIQUE (population, sha256)
);

-- The canonical entry. Signs are the account holder's: money out is negative. file_no is no foreign key, for the check
-- would double the cost of an import, and one transaction writes both tables.
CREATE TABLE ledger_entries (
    entry_no             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entry_id             text COLLATE "C" NOT NULL CHECK (entry_id <> ''),
    provider_id          text COLLATE "C",
    account_id           text COLLATE "C",
    booked_on            date,
    value_on             date,
    occurred_at          timestamptz,
    amount               bigint NOT NULL CHECK (amount BETWEEN -9999999999999999 AND 9999999999999999),
    currency             text COLLATE "C" NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    gross                bigint,
    fee                  bigint,
    net                  bigint,
    kind                 text COLLATE "C" NOT NULL
                         CHECK (kind IN ('payment', 'refund', 'chargeback', 'chargeback_reversal', 'reversal', 'return', 'fee',
                             'fx', 'payout', 'payout_return', 'topup', 'transfer', 'interest', 'tax', 'reserve_hold',
                             'reserve_release', 'adjustment', 'balance_carry', 'other')),
    status               text COLLATE "C" NOT NULL
                         CHECK (status IN ('booked', 'pending', 'info', 'expected', 'rejected', 'unknown')),
    counterparty_name    text COLLATE "C",
    counterparty_account text COLLATE "C",
    end_to_end_id        text COLLATE "C",
    idempotency_key      text COLLATE "C",
    merchant_reference   text COLLATE "C",
    remittance_text      text COLLATE "C",
    original_provider_id text COLLATE "C",
    group_id             text COLLATE "C",
    details              json,                -- what only some formats know, the children of a batch among it; NULL = nothing
    file_no              bigint NOT NULL,
    line                 integer NOT NULL,
    recorded_xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch                integer NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX ledger_entries_entry_id ON ledger_entries (entry_id);
CREATE INDEX ledger_entries_provider_id ON ledger_entries (provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX ledger_entries_recorded_xid ON ledger_entries (recorded_xid);

-- The ledger is complete for an account from one day up to, excluding, another.
CREATE TABLE ledger_coverage (
    coverage_no  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id   text COLLATE "C",            -- NULL: every account in scope
    covers_from  date NOT NULL,
    covers_to    date NOT NULL,
    inferred     boolean NOT NULL,            -- first to last booked day of a file that does not say what it covers
    file_no      bigint NOT NULL REFERENCES ledger_files,
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1,
    CHECK (covers_from < covers_to)
);
