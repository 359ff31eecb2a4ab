-- Records what somebody accepted against the rules.
-- $1 text kind, $2 text subject, $3 text reason, $4 text decided by, $5 timestamptz decided at, $6 bigint file_no or NULL
INSERT INTO overrides (kind, subject, reason, decided_by, decided_at, file_no) VALUES ($1, $2, $3, $4, $5, $6)
