-- The coverage that these files brought.
-- $1 bigint[]  file numbers
-- By file, in the order of the file.
SELECT c.file_no, c.account_id, c.covers_from, c.covers_to, c.inferred, c.report
FROM ledger_coverage c
WHERE c.file_no = ANY ($1) /*visible c*/
ORDER BY c.coverage_no
