package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrecon/recon"
)

// The guide names every class that somebody has to act on, on the sheet where it is listed, and every state of the Cover.
func TestGuideNamesEveryClassToActOn(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "docs", "auditor-guide.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	for _, place := range Placements {
		info := recon.InfoOf(place.Population, place.Class)
		if !place.Listed || info.Kind == recon.Clean || info.Kind == recon.Excluded || (place.Population == recon.Entries && place.Class == recon.Ambiguous) {
			continue
		}
		found := false
		for _, line := range lines {
			found = found || strings.HasPrefix(line, "| "+string(place.Sheet)+" |") && strings.Contains(line, "`"+string(place.Class)+"`")
		}
		if !found {
			t.Errorf("the guide has no row of %s with class %s", place.Sheet, place.Class)
		}
	}
	for _, state := range []State{DoNotRely, Interim, Incomplete, Final} {
		if !strings.Contains(string(data), "| "+string(state)+" |") {
			t.Errorf("the guide does not explain %s", state)
		}
	}
}
