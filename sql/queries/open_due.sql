-- The listed attempts that time alone may have changed by a moment.
-- $1 timestamptz  the moment
-- In no order; served by recon_open_next_eval.
SELECT o.item FROM recon_open o WHERE o.next_eval <= $1
