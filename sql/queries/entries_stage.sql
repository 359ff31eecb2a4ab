-- Staging table of an import of ledger entries.
-- No parameters. Gone at the end of the transaction.
CREATE TEMPORARY TABLE stage_entries (
    position             bigint NOT NULL,  -- in the file
    line                 integer NOT NULL,
    entry_id             text COLLATE "C" NOT NULL,
    provider_id          text COLLATE "C",
    account_id           text COLLATE "C",
    booked_on            date,
    value_on             date,
    occurred_at          timestamptz,
    amount               bigint NOT NULL,
    currency             text COLLATE "C" NOT NULL,
    gross                bigint,
    fee                  bigint,
    net                  bigint,
    kind                 text COLLATE "C" NOT NULL,
    status               text COLLATE "C" NOT NULL,
    counterparty_name    text COLLATE "C",
    counterparty_account text COLLATE "C",
    end_to_end_id        text COLLATE "C",
    idempotency_key      text COLLATE "C",
    merchant_reference   text COLLATE "C",
    remittance_text      text COLLATE "C",
    original_provider_id text COLLATE "C",
    group_id             text COLLATE "C",
    details              json,
    report               text COLLATE "C",
    children             integer
) ON COMMIT DROP
