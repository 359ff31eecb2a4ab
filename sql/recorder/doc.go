// Package recorder writes what hooks saw into the database, or keeps it on disk until it can.
//
// It is small on purpose: a hook starts a process for each call of an agent, so it speaks to PostgreSQL through the
// driver's lowest layer, one connection and a handful of round trips. Everything is recorded exactly once although
// each step may fail or be killed:
//
//   - [DB.Write] writes in one transaction and knows its id. If the answer to COMMIT is lost, the record goes to the
//     spool together with that id, and whoever replays it asks the database first what became of the transaction.
//   - [Spool] holds one file for each record: written under another name, synced, renamed. There is nothing that two
//     processes append to, so a kill leaves a whole record or none.
//   - [Spool.Drain] notes which files a transaction covers, and its id, before it commits. The next drain asks for
//     that transaction first and then takes the files away or sends them again.
package recorder
