package tabular

import "strings"

// Nearest returns the known word that a person most likely meant by word, or an empty string if none is
// near: at most a third of the letters may differ. The first of equally near ones wins.
func Nearest(word string, known []string) string {
	best, least := "", len(word)/3+1
	for _, k := range known {
		if strings.EqualFold(k, strings.NewReplacer(" ", "_", "-", "_").Replace(word)) {
			return k
		}
		if d := distance(word, k); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
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
