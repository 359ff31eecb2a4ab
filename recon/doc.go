// Package recon holds the decisions of a three-way reconciliation: attempts that agents made, outcomes
// that their platform observed, and the payments ledger that says what moved.
//
// It is pure. A run ([Run]) reads one consistent view through [Books], links attempts to ledger entries
// (link_*.go), reduces each attempt and its links to two closed enums ([Evidence]), looks the pair up in
// the decision table ([Rules], data only) and proves that the classes sum to the control totals. It
// knows no database, no clock, no file format. The place of each decision:
//
//	policy.go          parameters of a run, with their defaults
//	axes.go            the two enums that the rules look at
//	rules.go           the decision table
//	class.go           classes, their kinds and priorities
//	run.go             the one orchestrator
//	sieve.go           streaming keyed agreement: what is clean is implied and not kept
//	judge.go           everything else, in full (docket.go), in this order:
//	link_keys.go       tiers 1 and 2, and reversals
//	link_groups.go     attempts that share an entry: batches, replays
//	link_reference.go  tier 3
//	link_inferred.go   the order of statuses, and tier 4
//	assign*.go         who gets which entry, and what of that is forced
//	observe.go         evidence
//	cause.go           what the evidence points to
//	proof.go           control totals; bridge.go, tally.go
//
// How that is known to be right: recontest holds books in memory and a reference model that shares nothing
// with the engine but the table; fixtures/scenarios holds the situations, one a file.
package recon
