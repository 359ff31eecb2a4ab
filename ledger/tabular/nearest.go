package tabular

import (
	"cmp"
	"strings"
)

// Nearest returns the known word that a person most likely meant by word, or an empty string if none is
// near: word is the same but for case, blanks and hyphens, or it is the beginning of the known one, or at
// most a third of its letters differ. The first of equally near ones wins.
func Nearest(word string, known []string) string {
	folded := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(word))
	const enoughToBegin = 4
	begun, best, least := "", "", max(1, len(word)/3)+1
	for _, k := range known {
		if k == folded {
			return k
		}
		if begun == "" && len(word) >= enoughToBegin && strings.HasPrefix(k, folded) {
			begun = k
		}
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	return cmp.Or(begun, best)
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour (the
// restricted Damerau-Levenshtein distance), in bytes.
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
