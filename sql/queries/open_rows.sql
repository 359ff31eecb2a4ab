-- The listed items as later runs find them.
-- No parameters. By population and item; served by the primary key.
SELECT o.population, o.item, o.entry_no, o.next_eval, o.absent_account, o.absent_from, o.absent_to, o.keys
FROM recon_open o
ORDER BY o.population, o.item
