// Package recon holds the decisions of a three-way reconciliation: attempts that agents made, outcomes
// that their platform observed, and the payments ledger that says what moved.
//
// It is pure. A run ([Run]) reads one consistent view through [Books], links attempts to ledger entries
// (link_*.go), reduces each attempt and its links to two closed enums ([Observe]), looks the pair up in
// the decision table ([Rules], data only) and proves that the classes sum to the control totals. It
// knows no database, no clock, no file format. The place of each decision:
//
//	policy.go    parameters of a run, with their defaults
//	axes.go      the two enums that the rules look at
//	rules.go     the decision table
//	class.go     classes, their kinds and priorities
//	sieve.go     streaming keyed agreement: what is clean is implied and not kept
//	judge.go     everything else: linking by tiers, groups, evidence, class
//	proof.go     control totals
//	run.go       the one orchestrator
package recon
