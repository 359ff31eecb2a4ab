-- The names of the imported ledger files.
-- No parameters. In no order.
SELECT f.file_no, f.name FROM ledger_files f WHERE f.population = 'ledger' /*visible f*/
