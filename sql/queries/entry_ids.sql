-- The number and the id of every ledger entry.
-- No parameters. By number: one scan along the primary key, in whose order the rows were written.
SELECT e.entry_no, e.entry_id
FROM ledger_entries e
WHERE true /*visible e*/
ORDER BY e.entry_no
