package sql

import (
	"cmp"
	"time"

	"agentrecon/recon"
)

// Unrecorded returns the header of a full run that is recorded nowhere: what [RunTx.Record] would return for the first run
// of a database, but for the chain. It digests the evidence and nothing else, for there is no run before it and none after.
func Unrecorded(header recon.RunInfo, result *recon.Result) (recon.RunInfo, error) {
	header.ID, header.Kind, header.RuleSet = 1, "full", cmp.Or(header.RuleSet, recon.RuleSet)
	header.AsOf = result.AsOf.UTC().Truncate(time.Microsecond)
	header.RecordedAt = header.RecordedAt.UTC().Truncate(time.Microsecond)
	policy, err := encodePolicy(result.Policy)
	if err != nil {
		return header, err
	}
	rows, err := findingsOf(result)
	if err != nil {
		return header, err
	}
	header.EvidenceDigest = evidenceDigest(result, header.RuleSet, policy, newContentSum(rows))
	return header, nil
}
