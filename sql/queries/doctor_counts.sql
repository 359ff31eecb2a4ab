-- What should not be there: outcomes without an attempt, and firings of which nothing could be read, attempts whose amount could not be
-- read (recorded as 0), and hooks that were killed before they answered.
-- $1 timestamptz  observed, received or proposed from here on
-- $2 text  the error of an outcome that says that the hook was killed
-- One row.
SELECT (SELECT count(*) FROM transfer_outcomes o
            WHERE o.observed_at >= $1 AND NOT EXISTS (SELECT FROM transfer_attempts a WHERE a.attempt_id = o.attempt_id)) AS orphans,
       (SELECT count(*) FROM hook_deliveries h WHERE h.received_at >= $1 AND h.attempt_id LIKE 'lost:%') AS lost,
       (SELECT count(*) FROM transfer_attempts a WHERE a.proposed_at >= $1 AND a.amount_cents = 0 AND a.harness IS NOT NULL) AS no_amount,
       (SELECT count(*) FROM transfer_outcomes o WHERE o.observed_at >= $1 AND o.error = $2) AS killed
