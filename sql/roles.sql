-- Rights, granted again at every migration. Nobody but the tables' owner can set recorded_xid or epoch.

-- recon_recorder: what the hooks do and no more. ON CONFLICT (attempt_id) needs SELECT on that column, and DO UPDATE
-- needs SELECT and UPDATE on the columns it sets.
GRANT INSERT (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account, idempotency_key,
    key_source, id_source, args_sha256, tool, harness, agent_id, turn_id, host), SELECT (attempt_id)
    ON transfer_attempts TO recon_recorder;
GRANT INSERT (attempt_id, status, provider_ref, observed_at, args_sha256, error),
    SELECT (attempt_id, status, provider_ref, observed_at, args_sha256, error),
    UPDATE (status, provider_ref, observed_at, args_sha256, error)
    ON transfer_outcomes TO recon_recorder;
GRANT INSERT (attempt_id, received_at, args_sha256, event, harness, payload, payload_sha256, delivery_id, phase, notes)
    ON hook_deliveries TO recon_recorder;
GRANT INSERT (session_id, event, at) ON session_events TO recon_recorder;

-- recon_runner: imports files and records runs. It reads everything and changes nothing but the current outcome of an
-- attempt (whose every version is kept) and the state of a scheduled slot.
GRANT SELECT ON schema_migrations, recon_epochs, transfer_attempts, transfer_outcomes, transfer_outcome_history, hook_deliveries, session_events,
    ledger_files, ledger_entries, ledger_coverage, recon_lock, recon_runs, recon_findings, recon_links, unknown_marks, run_slots, run_slot_events, exports,
    dispositions, overrides, transfer_status
    TO recon_runner;
GRANT INSERT (attempt_id, session_id, amount_cents, dest_account, ref, proposed_at, currency, source_account, idempotency_key,
    key_source, id_source, args_sha256, tool, harness, agent_id, turn_id, host) ON transfer_attempts TO recon_runner;
GRANT INSERT (attempt_id, status, provider_ref, observed_at, args_sha256, error, versions),
    UPDATE (status, provider_ref, observed_at, args_sha256, error, versions) ON transfer_outcomes TO recon_runner;
GRANT INSERT (attempt_id, status, provider_ref, observed_at, args_sha256, error) ON transfer_outcome_history TO recon_runner;
GRANT INSERT (attempt_id, received_at, args_sha256, event, harness, payload, payload_sha256, delivery_id, phase, notes) ON hook_deliveries TO recon_runner;
GRANT INSERT (session_id, event, at) ON session_events TO recon_runner;
GRANT INSERT (file_no, sha256, population, name, format, profile, accounts, statements, rows_read, rows_new, totals, expected, proof_state,
    proof_detail, imported_at, imported_by) ON ledger_files TO recon_runner;
GRANT USAGE ON SEQUENCE ledger_files_file_no_seq TO recon_runner;
GRANT INSERT (entry_id, provider_id, account_id, booked_on, value_on, occurred_at, amount, currency, gross, fee, net, kind, status,
    counterparty_name, counterparty_account, end_to_end_id, idempotency_key, merchant_reference, remittance_text,
    original_provider_id, group_id, details, report, children, file_no, line) ON ledger_entries TO recon_runner;
GRANT INSERT (account_id, covers_from, covers_to, inferred, file_no, report) ON ledger_coverage TO recon_runner;
GRANT INSERT ON recon_runs, recon_findings, recon_links, exports, run_slots TO recon_runner;
GRANT SELECT, INSERT, DELETE ON recon_open, recon_open_keys TO recon_runner;
GRANT INSERT (attempt_id, run_id, mark, marked_at, age, threshold, status, observed_at) ON unknown_marks TO recon_runner;
GRANT INSERT (population, item, decision, note, evidence_ref, class, content, prepared_by, approved_by, decided_at, owner,
    due_on, approved_on) ON dispositions TO recon_runner;
GRANT INSERT (kind, subject, reason, decided_by, decided_at, file_no) ON overrides TO recon_runner;
GRANT UPDATE (state, tries, claimed_at, claimed_by, finished_at, run_id, detail) ON run_slots TO recon_runner;
GRANT UPDATE ON recon_lock TO recon_runner;

-- recon_auditor: reads everything, writes nothing.
GRANT SELECT ON schema_migrations, recon_epochs, transfer_attempts, transfer_outcomes, transfer_outcome_history, hook_deliveries, session_events,
    ledger_files, ledger_entries, ledger_coverage, recon_lock, recon_runs, recon_findings, recon_links, unknown_marks, run_slots, run_slot_events, exports,
    dispositions, overrides, transfer_status, recon_open, recon_open_keys
    TO recon_auditor;
