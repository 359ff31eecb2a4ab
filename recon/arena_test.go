package recon

import "testing"

// An arena beyond what a place can count says so. A place that wraps would name another attempt's key.
func TestArenaSaysThatItIsFull(t *testing.T) {
	blocks := make([][]byte, 1<<32/arenaBlock)
	blocks[len(blocks)-1] = make([]byte, arenaBlock-16)
	a := arena{blocks: blocks}
	if place := a.add("last"); a.full || place != 1<<32-16 {
		t.Errorf("the last text: place %d, full %v", place, a.full)
	}
	if a.add("one more"); !a.full {
		t.Error("a text beyond 4 GiB: not full")
	}
}
