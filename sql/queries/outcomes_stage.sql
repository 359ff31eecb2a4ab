-- Staging table of an import of outcomes.
-- No parameters. Gone at the end of the transaction.
CREATE TEMPORARY TABLE stage_outcomes (
    line         integer NOT NULL,
    attempt_id   text COLLATE "C" NOT NULL,
    status       text COLLATE "C" NOT NULL,
    provider_ref text COLLATE "C",
    observed_at  timestamptz NOT NULL,
    args_sha256  text COLLATE "C",
    error        text COLLATE "C"
) ON COMMIT DROP
