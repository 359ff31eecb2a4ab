-- What is recorded, and how much of it the last run has not seen.
-- No parameters. One row. Rows of another cluster than the last run's count as seen, for their numbers cannot be compared.
WITH last AS (SELECT snapshot, epoch FROM recon_runs ORDER BY run_id DESC LIMIT 1)
SELECT (SELECT count(*) FROM transfer_attempts) AS attempts,
       (SELECT count(*) FROM transfer_outcomes) AS outcomes,
       (SELECT count(*) FROM ledger_entries) AS entries,
       (SELECT count(*) FROM unknown_marks m WHERE m.mark = 'unknown'
            AND NOT EXISTS (SELECT FROM unknown_marks s WHERE s.attempt_id = m.attempt_id AND s.mark = 'superseded')) AS standing_marks,
       (SELECT count(*) FROM transfer_attempts a, last
            WHERE a.epoch = last.epoch AND a.recorded_xid >= pg_snapshot_xmin(last.snapshot)
                AND NOT pg_visible_in_snapshot(a.recorded_xid, last.snapshot)) AS new_attempts,
       (SELECT count(*) FROM ledger_entries e, last
            WHERE e.epoch = last.epoch AND e.recorded_xid >= pg_snapshot_xmin(last.snapshot)
                AND NOT pg_visible_in_snapshot(e.recorded_xid, last.snapshot)) AS new_entries
