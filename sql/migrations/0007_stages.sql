-- Stages of a movement: what a report calls booked, and a statement shows again. Which entry is superseded is no column,
-- for nothing that was recorded is changed: it is worked out from all rows whenever they are read.
ALTER TABLE ledger_entries ADD COLUMN report text COLLATE "C" CHECK (report IN ('intraday', 'notification'));
COMMENT ON COLUMN ledger_entries.report IS 'The kind of report that calls the entry booked; NULL = it stands on a statement or a list, or is not booked.';

-- A batch says what it is made of in its details. Those who read all entries need not look into every details for that.
ALTER TABLE ledger_entries ADD COLUMN children integer CHECK (children > 0);
COMMENT ON COLUMN ledger_entries.children IS 'How many payments the details list for a batch; NULL = none.';

-- A person may call reports complete where there are no statements. Such days do not supersede what reports say.
ALTER TABLE ledger_coverage ADD COLUMN report boolean NOT NULL DEFAULT false;

-- What may have a later stage is a small part of the ledger, found without reading the rest.
CREATE INDEX ledger_entries_announced ON ledger_entries (entry_no)
    WHERE report IS NOT NULL OR status IN ('pending', 'info', 'expected', 'unknown');
