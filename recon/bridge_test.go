package recon_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"agentrecon/ledger"
	"agentrecon/recon"
	"agentrecon/recon/recontest"
)

// TestBridgesByAccount holds the bridge of every account to worlds whose figures were worked out by hand.
func TestBridgesByAccount(t *testing.T) {
	paths, err := filepath.Glob("testdata/bridges/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no bridges found: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var world recontest.World
			want := ""
			covers, err := ledger.ParseCovers("2025-03-01..2025-03-31")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
				} else if err := world.ReadFile(f.Name, f.Data, ledger.ReadOptions{DefaultCurrency: "EUR", Covers: covers}); err != nil {
					t.Fatal(err)
				}
			}
			request := recon.Request{AsOf: time.Date(2025, 4, 20, 0, 0, 0, 0, time.UTC), Policy: recon.DefaultPolicy()}
			if diff := cmp.Diff(want, bridgesText(mustRun(t, world, request).Accounts)); diff != "" {
				t.Errorf("bridges by account (-want +got):\n%s", diff)
			}
		})
	}
}

// bridgesText prints bridges without their nil lines.
func bridgesText(bridges []recon.BridgeAccount) string {
	var b strings.Builder
	for _, bridge := range bridges {
		fmt.Fprintf(&b, "%s %s\n", bridge.Currency, bridge.AccountID)
		for _, line := range bridge.Lines {
			if line.Count != 0 || line.Minor != 0 {
				fmt.Fprintf(&b, "  %s %d %d\n", line.ID, line.Count, line.Minor)
			}
		}
		if bridge.Elsewhere > 0 {
			fmt.Fprintf(&b, "  elsewhere %d\n", bridge.Elsewhere)
		}
	}
	return b.String()
}
