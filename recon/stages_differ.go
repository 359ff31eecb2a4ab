package recon

import (
	"maps"
	"slices"
)

// Differ returns the numbers of the entries that have another later stage, or are made of other notifications, than by
// other, sorted.
func (s Stages) Differ(other Stages) []int64 {
	differ := map[int64]bool{}
	for _, pair := range [2][2]Stages{{s, other}, {other, s}} {
		for no, by := range pair[0].by {
			if was, known := pair[1].by[no]; !known || was != by {
				differ[no] = true
			}
		}
		for no, parts := range pair[0].parts {
			if !slices.Equal(parts, pair[1].parts[no]) {
				differ[no] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(differ))
}
