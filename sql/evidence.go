package sql

import "agentrecon/recon"

// EvidenceDigest is the digest over everything a result concluded, as [RunTx.Record] stores it: a run that is made
// again from the rows it saw must come to the same.
func EvidenceDigest(result *recon.Result) (string, error) {
	policy, err := encodePolicy(result.Policy)
	if err != nil {
		return "", err
	}
	rows, err := findingsOf(result)
	if err != nil {
		return "", err
	}
	return evidenceDigest(result, recon.RuleSet, policy, newContentSum(rows)), nil
}
