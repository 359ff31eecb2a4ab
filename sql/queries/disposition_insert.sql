-- Records a reviewer's decision.
-- $1 text population, $2 text item, $3 text decision, $4 text note, $5 text evidence or NULL, $6 text class as seen,
-- $7 text content as seen, $8 text prepared by, $9 text approved by or NULL, $10 timestamptz decided at, $11 text owner or NULL,
-- $12 date due on or NULL, $13 date approved on or NULL
INSERT INTO dispositions (population, item, decision, note, evidence_ref, class, content, prepared_by, approved_by, decided_at, owner, due_on, approved_on)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
