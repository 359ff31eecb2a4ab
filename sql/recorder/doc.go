// Package recorder writes what hooks saw into the database, or keeps it on disk until it can.
//
// It is small on purpose: a hook starts a process for each call of an agent, so it speaks to PostgreSQL through the
// driver's lowest layer, with one connection and, as a rule, one message and one answer. Everything is recorded exactly
// once although each step may fail or be killed:
//
//   - Each delivery has an id, made before anything else is done. [DB.Write] writes in one transaction, in which nothing
//     happens that hangs on a delivery unless its id is new. So a record may be sent again whatever became of the
//     transaction that had it: committed, rolled back, or nobody knows.
//   - [Spool] holds one file for each record: written under another name, synced, renamed. There is nothing that two
//     processes append to, so a kill leaves a whole record or none. [Spool.Drain] takes files away after the commit.
package recorder
