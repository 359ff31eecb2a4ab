-- The server as the program meets it: version, clock, who we are, and which rights that gives.
-- No parameters. One row.
SELECT current_setting('server_version_num')::integer AS version, clock_timestamp() AS now, current_user::text AS who,
       has_table_privilege('transfer_attempts', 'INSERT') AS may_record,
       has_table_privilege('recon_runs', 'INSERT') AND has_table_privilege('recon_findings', 'INSERT') AS may_run,
       has_table_privilege('recon_runs', 'SELECT') AS may_read
