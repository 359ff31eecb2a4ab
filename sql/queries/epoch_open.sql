-- Opens an epoch for the cluster that the database lives in now.
-- $1 integer  the new epoch
INSERT INTO recon_epochs (epoch, system_identifier)
SELECT $1, system_identifier::text FROM pg_control_system()
