-- Finds the recorded attempts that the staged audit calls are: by id where the call was imported before, else by content
-- and time where exactly one attempt fits the call and exactly one call fits the attempt. Attempts made of other audit
-- calls fit by id only, so that the same rows are matched alike at every import.
-- $1 interval  how far before the first and after the last firing the attempt may have been proposed
-- Served by transfer_attempts_session.
CREATE TEMPORARY TABLE audit_matches ON COMMIT DROP AS
WITH calls AS (
    SELECT DISTINCT ON (attempt_id) * FROM stage_audit ORDER BY attempt_id, line
), fits AS (
    SELECT c.attempt_id AS call_id, t.attempt_id,
        count(*) OVER (PARTITION BY c.attempt_id) AS attempts, count(*) OVER (PARTITION BY t.attempt_id) AS calls
    FROM calls c
    JOIN transfer_attempts t ON t.session_id = c.session_id AND t.amount_cents = c.amount_cents AND t.currency = c.currency
        AND coalesce(t.source_account, '') = coalesce(c.source_account, '')
        AND coalesce(t.dest_account, '') = coalesce(c.dest_account, '') AND coalesce(t.ref, '') = coalesce(c.ref, '')
        AND t.proposed_at BETWEEN c.proposed_at - $1::interval AND c.last_fired_at + $1::interval
    WHERE t.id_source <> 'legacy_window'
        AND NOT EXISTS (SELECT FROM transfer_attempts same WHERE same.attempt_id = c.attempt_id)
)
SELECT call_id, attempt_id, false AS same_id FROM fits WHERE attempts = 1 AND calls = 1
UNION ALL
SELECT c.attempt_id, c.attempt_id, true FROM calls c JOIN transfer_attempts t USING (attempt_id)
