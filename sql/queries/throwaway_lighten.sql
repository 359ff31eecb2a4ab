-- Makes an empty database that ends with the program cheap to fill and to read once: it loses what serves later runs, past
-- runs, hooks and other users, and what a crash would be mended from. Of the indexes those stay by which an import compares
-- entries, and a run finds attempts by session or arguments and stages; everything else is read as a whole.
-- No parameters. Once, before anything is recorded.
DO $$
DECLARE
    filled text;
    index  regclass;
BEGIN
    ALTER TABLE transfer_attempts DROP CONSTRAINT transfer_attempts_pkey;
    ALTER TABLE transfer_outcomes DROP CONSTRAINT transfer_outcomes_pkey;
    ALTER TABLE transfer_outcome_history DROP CONSTRAINT transfer_outcome_history_pkey;
    FOR index IN
        SELECT i.indexrelid FROM pg_index i
        WHERE i.indrelid IN ('transfer_attempts'::regclass, 'transfer_outcomes'::regclass, 'transfer_outcome_history'::regclass,
                'ledger_entries'::regclass)
            AND i.indexrelid::regclass::text NOT IN ('transfer_attempts_session', 'transfer_attempts_args', 'ledger_entries_pkey',
                'ledger_entries_entry_id', 'ledger_entries_announced')
    LOOP
        EXECUTE format('DROP INDEX %s', index);
    END LOOP;
    ALTER TABLE transfer_outcome_history ALTER version_no SET CACHE 10000;
    ALTER TABLE ledger_entries ALTER entry_no SET CACHE 10000;
    DROP TRIGGER a_proposed ON transfer_outcomes;
    DROP TRIGGER never_truncated ON transfer_outcomes;
    DROP TRIGGER append_only ON transfer_attempts;
    FOREACH filled IN ARRAY ARRAY['transfer_attempts', 'transfer_outcome_history', 'ledger_entries'] LOOP
        EXECUTE format('DROP TRIGGER append_only_truncate ON %I', filled);
    END LOOP;
    FOREACH filled IN ARRAY ARRAY['transfer_attempts', 'transfer_outcomes', 'transfer_outcome_history', 'ledger_entries'] LOOP
        EXECUTE format('ALTER TABLE %I SET UNLOGGED', filled);
    END LOOP;
    -- Without indexes of them keys need no folding: the exact key is compared beside the folded one.
    CREATE OR REPLACE FUNCTION recon_key(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1';
END
$$
