-- References are looked up by what they begin with too, for banks cut them. What they are found by is as coarse as before; the
-- program sorts out the rest, and texts that agree in so many characters.
DROP INDEX transfer_attempts_like;
CREATE INDEX transfer_attempts_like ON transfer_attempts (left(recon_reference(coalesce(ref, '')), 35), amount_cents, proposed_at);
