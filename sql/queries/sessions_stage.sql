-- Staging table of an import of session events.
-- No parameters. Gone at the end of the transaction.
CREATE TEMPORARY TABLE stage_sessions (
    session_id text COLLATE "C" NOT NULL,
    event      text COLLATE "C" NOT NULL,
    at         timestamptz NOT NULL
) ON COMMIT DROP
