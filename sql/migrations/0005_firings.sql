-- What a firing of a hook was, and by which mark it is known: a record that is sent again, after a kill or a lost answer
-- to COMMIT, adds nothing. Firings recorded before this have none of the three.
ALTER TABLE hook_deliveries
    ADD COLUMN delivery_id uuid,              -- made by the recorder for each firing
    ADD COLUMN phase text COLLATE "C" CHECK (phase IN ('pre', 'post', 'session')),
    ADD COLUMN notes text COLLATE "C";        -- what could not be taken as it came, such as an amount that is not exact

-- Imports make no delivery_id, and so pay nothing for this index.
CREATE UNIQUE INDEX hook_deliveries_delivery ON hook_deliveries (delivery_id) WHERE delivery_id IS NOT NULL;
COMMENT ON TABLE hook_deliveries IS 'One row per firing of a hook. Firings after a call (phase post) are evidence of what was said; those that count as deliveries of an attempt came before it (phase pre, or NULL).';
