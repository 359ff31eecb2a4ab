-- Who follows a decision up, by when, and when it was approved. A decision that closes an item may wait for its approver: until
-- a later row names one, the item stays open for action.
ALTER TABLE dispositions DROP CONSTRAINT dispositions_check1;
ALTER TABLE dispositions ADD COLUMN owner text COLLATE "C" CHECK (owner <> '');
ALTER TABLE dispositions ADD COLUMN due_on date;
ALTER TABLE dispositions ADD COLUMN approved_on date;
ALTER TABLE dispositions ADD CONSTRAINT dispositions_approved_on_check CHECK (approved_on IS NULL OR approved_by IS NOT NULL);
