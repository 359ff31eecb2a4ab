-- The versions of outcomes that a run could not see, of attempts that are recorded or not.
-- No parameters; the mark stands for the cut. In no order; served by transfer_outcome_history_recorded_xid.
SELECT h.attempt_id, h.status, h.provider_ref, h.error, h.args_sha256, h.observed_at, h.version_no
FROM transfer_outcome_history h WHERE true /*new h*/
