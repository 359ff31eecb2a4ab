// Package sql holds every SQL statement of recon, and is the only package that knows PostgreSQL.
//
// A [DB] is one database. What happens to it:
//
//	migrate.go   the schema: numbered files in migrations/, forward only
//	import*.go   files in, each in one transaction: rows are staged by COPY, compared with what is there, then inserted
//	             set by set; a row that contradicts a recorded one refuses the whole file
//	tx.go        one transaction a run, under the lock that keeps other runs out; views of the present and of past runs
//	books.go     recon.Books over one snapshot: what a run reads
//	journal.go   recon.Journal in the same transaction: what a run concluded (findings.go), chained by digest.go
//	verify.go    the chain and the invariants, recomputed from the rows
//	runs.go      past runs, exports; history.go what a report shows beside the evidence; slots.go scheduled slots
//	status.go    how things stand; explain.go everything known of one id
//
// Statements that stand alone are files in queries/, one each, with a header that says what they return. Evidence
// is never updated or deleted: triggers refuse it (migrations/0004), whoever asks.
//
// Transactions are short of session state, so that everything works behind a pooler that hands out connections per
// transaction: time limits are SET LOCAL, locks are taken in the transaction, and statements are described, not kept
// prepared.
package sql
