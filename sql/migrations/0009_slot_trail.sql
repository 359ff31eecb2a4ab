-- What became of the slots of a schedule, event by event. run_slots says only how a slot stands now, and a report of a past
-- run, which lists the slots as they stood then, could not be made again from it.
CREATE TABLE run_slot_events (
    event_no     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slot_key     text COLLATE "C" NOT NULL,
    due_at       timestamptz NOT NULL,
    state        text COLLATE "C" NOT NULL CHECK (state IN ('claimed', 'ran', 'missed', 'failed')),
    tries        integer NOT NULL,
    run_id       bigint REFERENCES recon_runs,
    detail       text COLLATE "C",
    recorded_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    epoch        integer NOT NULL DEFAULT 1
);
CREATE INDEX run_slot_events_due ON run_slot_events (due_at DESC, slot_key DESC, event_no DESC);

-- New rows belong to the epoch of the present, which need not be the first.
DO $$
BEGIN
    EXECUTE format('ALTER TABLE run_slot_events ALTER COLUMN epoch SET DEFAULT %s', (SELECT max(epoch) FROM recon_epochs));
END
$$;

-- With the rights of the tables' owner: who may write slots can neither write nor avoid the trail.
CREATE FUNCTION recon_slot_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO public.run_slot_events (slot_key, due_at, state, tries, run_id, detail)
    VALUES (NEW.slot_key, NEW.due_at, NEW.state, NEW.tries, NEW.run_id, NEW.detail);
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION recon_slot_event() FROM PUBLIC;
CREATE TRIGGER trail AFTER INSERT OR UPDATE ON run_slots FOR EACH ROW EXECUTE FUNCTION recon_slot_event();
ALTER TABLE run_slots ENABLE ALWAYS TRIGGER trail;

INSERT INTO run_slot_events (slot_key, due_at, state, tries, run_id, detail)
SELECT slot_key, due_at, state, tries, run_id, detail FROM run_slots ORDER BY due_at, slot_key;

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON run_slot_events FOR EACH ROW EXECUTE FUNCTION recon_refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON run_slot_events FOR EACH STATEMENT EXECUTE FUNCTION recon_refuse_change();
ALTER TABLE run_slot_events ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE run_slot_events ENABLE ALWAYS TRIGGER append_only_truncate;
