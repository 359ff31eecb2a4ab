package capture_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"agentrecon/recon/capture"
)

// The vectors of this package, and those of the shared folder beside a checkout if RECON_SHARED names it.
func TestVectors(t *testing.T) {
	files := []string{filepath.Join("testdata", "vectors.jsonl")}
	if shared := os.Getenv("RECON_SHARED"); shared != "" {
		files = append(files, filepath.Join(shared, "data", "attempt_id_vectors.jsonl"))
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(content))
		lines.Buffer(nil, 1<<24)
		checked := 0
		for lines.Scan() {
			v, err := capture.ParseVector(lines.Bytes())
			if err != nil {
				t.Fatalf("%s: line %d: %v", file, checked+1, err)
			}
			if err := v.Check(); err != nil {
				t.Error(err)
			}
			checked++
		}
		if checked < 100 || lines.Err() != nil {
			t.Errorf("%s: %d vectors read, error %v", file, checked, lines.Err())
		}
	}
}
