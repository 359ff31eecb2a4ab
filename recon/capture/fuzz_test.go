package capture_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"agentrecon/recon"
	"agentrecon/recon/capture"
)

// Whatever comes on stdin, reading it ends without a panic, and what would be stored PostgreSQL can store.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", "*.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(payload)
	}
	rules, err := capture.ParseRules([]byte(`{"tools":[{"match":"*"}]}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		e, err := rules.Read(payload, capture.Options{Hint: capture.Pre, FillKey: true, ApprovedElsewhere: true})
		if err != nil {
			return
		}
		for _, s := range []string{
			e.Attempt.ID, e.Attempt.SessionID, e.Attempt.DestAccount, e.Attempt.Reference, e.Attempt.IdempotencyKey, e.Attempt.Tool,
			e.Outcome.ProviderRef, e.Outcome.Error, e.Session.SessionID, e.Name,
		} {
			if !utf8.ValidString(s) {
				t.Errorf("not UTF-8: %q", s)
			}
			for _, r := range s {
				if r == 0 {
					t.Errorf("U+0000 in %q", s)
				}
			}
		}
		if e.Phase == capture.Failure && e.Outcome.Status == recon.Succeeded {
			t.Error("an event of a failure says that the call succeeded")
		}
		if e.Filled != nil {
			if _, err := capture.Decode(e.Filled); err != nil {
				t.Errorf("filled arguments are not JSON: %v", err)
			}
			if json.Valid(payload) && !json.Valid(e.Filled) {
				t.Errorf("filled arguments are not JSON: %s", e.Filled)
			}
		}
	})
}
