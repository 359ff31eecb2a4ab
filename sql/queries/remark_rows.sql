-- What else is to be known of attempts where it is not as usual: more deliveries than one, deliveries with other arguments
-- under the same id, marks.
-- No parameters. In no order, an attempt as often as something is known of it: a join and a grouping of all deliveries.
SELECT h.attempt_id, nullif(count(*), 1) AS deliveries, bool_or(h.args_sha256 <> a.args_sha256) AS id_reused, NULL::timestamptz AS marked_at
FROM hook_deliveries h
JOIN transfer_attempts a USING (attempt_id)
WHERE h.phase IS DISTINCT FROM 'post' /*visible h*/ /*visible a*/
GROUP BY h.attempt_id
HAVING count(*) > 1 OR bool_or(h.args_sha256 <> a.args_sha256)
UNION ALL
SELECT m.attempt_id, NULL, NULL, m.marked_at FROM unknown_marks m WHERE m.mark = 'unknown' /*earlier runs*/
