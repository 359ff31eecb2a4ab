-- Which machine a recorder wrote an attempt on: a host that loses its outcomes is one outage, and not many findings.
ALTER TABLE transfer_attempts ADD COLUMN host text COLLATE "C"; -- NULL: not recorded
