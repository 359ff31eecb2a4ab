// Package trustly reads the funding and reconciliation reports of Trustly, as its reference of reports describes
// them. Their records begin with their type: a header (H), items (I) or transactions (T), fundings (F) and a trailer
// (L) with counts and sums, which prove the file.
//
// A funding is the payout of the items that name its trace id, so that they and it add up to zero. What an item moves
// is its amount less the fee beside it. Items without a trace id are not settled yet. The transactions of a
// reconciliation report say what was asked for and not what was settled: a funding report shows their money, so they
// are information only.
package trustly
