package main

import (
	"fmt"
	"os"
	"path/filepath"

	"agentrecon/report"
)

// Temporary folders, by what they are for.
const (
	partsPrefix  = "recon-parts-"
	verifyPrefix = "recon-verify-"
)

// partsFolder makes a folder for the parts of one workbook and removes what killed runs left of theirs.
func partsFolder() (folder string, discard func(), err error) { return temporaryFolder(partsPrefix) }

// temporaryFolder makes a folder that is held until it is discarded, and removes those whose processes are gone: the new
// folder tells what time it is, and a leftover that stays is no reason to do nothing.
func temporaryFolder(prefix string) (folder string, discard func(), err error) {
	folder, err = os.MkdirTemp("", prefix)
	if err != nil {
		return "", nil, fmt.Errorf("temporary folder: %w: %w", err, report.ErrCannotWrite)
	}
	release, err := report.Hold(folder)
	if err != nil {
		_ = os.RemoveAll(folder)
		return "", nil, fmt.Errorf("temporary folder: %w: %w", err, report.ErrCannotWrite)
	}
	discard = func() {
		_ = os.RemoveAll(folder)
		release()
	}
	fresh, err := os.Stat(folder)
	if err != nil {
		discard()
		return "", nil, fmt.Errorf("temporary folder: %w: %w", err, report.ErrCannotWrite)
	}
	for _, left := range []string{partsPrefix, verifyPrefix} {
		others, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), left+"*"))
		for _, other := range others {
			if info, err := os.Lstat(other); err == nil && info.IsDir() && report.Abandoned(other, fresh.ModTime()) {
				_ = os.RemoveAll(other) // another user's stays, for its rights refuse
			}
		}
	}
	return folder, discard, nil
}
