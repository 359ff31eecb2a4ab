-- Whose books a run was made of, so that a later export of it says the same; and a digest of a workbook that does not hang
-- on how its file was compressed.
ALTER TABLE recon_runs ADD COLUMN entity text COLLATE "C" CHECK (entity <> '');
ALTER TABLE exports ADD COLUMN parts_digest text COLLATE "C" CHECK (parts_digest ~ '^[0-9a-f]{64}$');
COMMENT ON COLUMN exports.parts_digest IS 'SHA-256 over the sorted names and hashes of the parts of the workbook: the same for any compressor.';
