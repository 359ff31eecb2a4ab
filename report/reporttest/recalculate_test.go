package reporttest

import (
	"bytes"
	"testing"

	"agentrecon/report"
)

// The check must be able to fail: a workbook whose caches are poisoned differs in every formula, and in nothing from
// itself.
func TestEveryPoisonedFormulaIsNoticed(t *testing.T) {
	var b bytes.Buffer
	if _, err := report.Write(t.Context(), &b, Quarter(), report.Options{}); err != nil {
		t.Fatal(err)
	}
	same, compared, err := compare(b.Bytes(), b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(same) > 0 || compared < 300 {
		t.Errorf("got %d formulas and differences %q against itself, want at least 300 and none", compared, same)
	}
	poisoned, err := poison(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	differences, _, err := compare(b.Bytes(), poisoned)
	if err != nil {
		t.Fatal(err)
	}
	if len(differences) != compared {
		t.Errorf("got %d of %d poisoned formulas noticed, want all", len(differences), compared)
	}
}

func TestSamplesAreFresh(t *testing.T) {
	a, b := Sample(), Sample()
	a.Attempts[0].Attempt.Minor++
	if a.Attempts[0].Attempt.Minor == b.Attempts[0].Attempt.Minor {
		t.Error("two samples share their findings")
	}
}
