-- Bounds each statement of the transaction at the server, should the hook be gone by then. In the transaction and not at
-- connection start: poolers refuse settings there.
-- $1 text milliseconds
SELECT set_config('statement_timeout', $1, true)
