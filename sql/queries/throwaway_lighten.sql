-- Makes an empty database that ends with the program cheap to fill and to read once: it loses what serves later runs, past
-- runs, hooks and other users, and what a crash would be mended from. Indexes that an import builds afterwards anyway take
-- the place of the primary key of attempts, and outcomes are only ever read as a whole.
-- No parameters. Once, before anything is recorded.
DO $$
DECLARE
    loaded text;
BEGIN
    DROP INDEX transfer_attempts_recorded_xid, transfer_attempts_id_key, transfer_attempts_key, transfer_attempts_like,
        transfer_outcomes_ref_key, transfer_outcome_history_recorded_xid, transfer_outcome_history_attempt,
        ledger_entries_recorded_xid, ledger_entries_key, ledger_entries_end_to_end_key, ledger_entries_provider_key;
    ALTER TABLE transfer_attempts DROP CONSTRAINT transfer_attempts_pkey;
    CREATE UNIQUE INDEX transfer_attempts_attempt_id ON transfer_attempts (attempt_id);
    ALTER TABLE transfer_outcomes DROP CONSTRAINT transfer_outcomes_pkey;
    ALTER TABLE transfer_outcome_history DROP CONSTRAINT transfer_outcome_history_pkey;
    ALTER TABLE transfer_outcome_history ALTER version_no SET CACHE 10000;
    ALTER TABLE ledger_entries ALTER entry_no SET CACHE 10000;
    DROP TRIGGER a_proposed ON transfer_outcomes;
    DROP TRIGGER never_truncated ON transfer_outcomes;
    DROP TRIGGER append_only ON transfer_attempts;
    FOREACH loaded IN ARRAY ARRAY['transfer_attempts', 'transfer_outcome_history', 'ledger_entries'] LOOP
        EXECUTE format('DROP TRIGGER append_only_truncate ON %I', loaded);
    END LOOP;
    FOREACH loaded IN ARRAY ARRAY['transfer_attempts', 'transfer_outcomes', 'transfer_outcome_history', 'ledger_entries'] LOOP
        EXECUTE format('ALTER TABLE %I SET UNLOGGED', loaded);
    END LOOP;
    -- Without indexes of them keys need no folding: the exact key is compared beside the folded one.
    CREATE OR REPLACE FUNCTION recon_key(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT $1';
END
$$
