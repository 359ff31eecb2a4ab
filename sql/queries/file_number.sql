-- The number of a file that is being imported, given ahead of its row: the row is written last, when it is complete.
-- No parameters. One row.
SELECT nextval('ledger_files_file_no_seq')
