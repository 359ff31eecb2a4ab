-- The ledger entries that a run could not see.
-- No parameters; the mark stands for the cut. In no order; served by ledger_entries_recorded_xid.
SELECT t.entry_no FROM ledger_entries t WHERE true /*new t*/
