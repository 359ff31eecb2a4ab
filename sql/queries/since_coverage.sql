-- Whether coverage was recorded that a run could not see.
-- No parameters; the mark stands for the cut. One row.
SELECT EXISTS (SELECT FROM ledger_coverage t WHERE true /*new t*/) AS covered
