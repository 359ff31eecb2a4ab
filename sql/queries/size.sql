-- How many attempts are recorded.
-- No parameters. One row; served by any index where everything is visible.
SELECT count(*) AS attempts FROM transfer_attempts a WHERE true /*visible a*/
