-- What a run could see.
-- $1 bigint  run id
-- At most one row; served by the primary key.
SELECT epoch, snapshot::text AS snapshot FROM recon_runs WHERE run_id = $1
