package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"agentrecon/report"
)

const (
	partsPrefix = "recon-parts-"
	// partsAbandoned is how old a folder of parts is before nobody can be using it any more.
	partsAbandoned = 24 * time.Hour
)

// partsFolder makes a folder for the parts of one workbook and removes what killed runs left of theirs. The new folder
// tells what time it is; a leftover that stays is no reason to write nothing.
func partsFolder() (folder string, discard func(), err error) {
	folder, err = os.MkdirTemp("", partsPrefix)
	if err != nil {
		return "", nil, fmt.Errorf("temporary folder: %w: %w", err, report.ErrCannotWrite)
	}
	discard = func() { _ = os.RemoveAll(folder) }
	fresh, err := os.Stat(folder)
	if err != nil {
		discard()
		return "", nil, fmt.Errorf("temporary folder: %w: %w", err, report.ErrCannotWrite)
	}
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), partsPrefix+"*"))
	for _, other := range others {
		if info, err := os.Lstat(other); err == nil && info.IsDir() && fresh.ModTime().Sub(info.ModTime()) > partsAbandoned {
			_ = os.RemoveAll(other) // another user's stays, for its rights refuse
		}
	}
	return folder, discard, nil
}
