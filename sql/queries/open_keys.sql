-- Every key that leads to a listed item, some more than once.
-- No parameters. In no order; read whole where so many are asked for that looking each up would cost more.
SELECT k.key FROM recon_open_keys k
