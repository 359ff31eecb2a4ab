-- Evidence only grows. ENABLE ALWAYS: session_replication_role does not switch these triggers off, and they hold for
-- the owner and for superusers too. Who disables them leaves a trail in the chain of runs.
DO $$
DECLARE
    evidence text;
BEGIN
    FOREACH evidence IN ARRAY ARRAY['transfer_attempts', 'transfer_outcome_history', 'hook_deliveries', 'session_events',
        'ledger_files', 'ledger_entries', 'ledger_coverage', 'recon_runs', 'recon_findings', 'recon_links', 'unknown_marks',
        'exports', 'dispositions', 'overrides', 'recon_epochs']
    LOOP
        EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I
            FOR EACH ROW EXECUTE FUNCTION recon_refuse_change()', evidence);
        EXECUTE format('CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON %I
            FOR EACH STATEMENT EXECUTE FUNCTION recon_refuse_change()', evidence);
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only', evidence);
        EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER append_only_truncate', evidence);
    END LOOP;
END
$$;

-- Outcomes are overwritten in place by design, but never removed, and no version escapes the history.
CREATE TRIGGER never_removed BEFORE DELETE ON transfer_outcomes FOR EACH ROW EXECUTE FUNCTION recon_refuse_change();
CREATE TRIGGER never_truncated BEFORE TRUNCATE ON transfer_outcomes FOR EACH STATEMENT EXECUTE FUNCTION recon_refuse_change();
ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER never_removed;
ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER never_truncated;
ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER a_proposed;
ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER a_overwritten;
ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER history_of_insert;
ALTER TABLE transfer_outcomes ENABLE ALWAYS TRIGGER history_of_update;

REVOKE EXECUTE ON FUNCTION recon_outcome_inserted(), recon_outcome_updated() FROM PUBLIC;
