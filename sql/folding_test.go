package sql_test

import (
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"agentrecon/recon"
	"agentrecon/sql"
	"agentrecon/sql/sqltest"
)

// TestFoldingIsCoarser holds what the indexes are made of against what the program compares: whatever it takes for equal
// is found under the keys that it asks for. Every letter that may be folded is tried, and texts of many kinds.
func TestFoldingIsCoarser(t *testing.T) {
	texts := []string{"", " ", "NOTPROVIDED", "not provided", "NONREF", "Pay_1", "PAY 1", "\u212aEY 1", "\u0130D\u00a07", "M\u00fcller 2025/17", "MUELLER 2025 17", "STRASSE 1", "stra\u00dfe 1"}
	for r := rune(1); r < 0x3100; r++ {
		texts = append(texts, fmt.Sprintf("a%c1", r), fmt.Sprintf("%c 2", r))
	}
	for r := rune(0xfb00); r < 0xffef; r++ {
		texts = append(texts, fmt.Sprintf("a%c1", r))
	}
	text := rapid.StringOfN(rapid.SampledFrom([]rune(" \t\n\v\f\rabAB019_-./\u00a0\u0085\u2003\u212a\u0130\u00e4\u00c4\u00df\u00d8\u0142\u0308\u0660\uff11")), 0, 12, -1)
	for n := range 3000 {
		texts = append(texts, text.Example(n))
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return !utf8.ValidString(s) })
	conn := sqltest.Connect(t, sqltest.NewURL(t))
	var keys, references []string
	err := conn.QueryRow(t.Context(), `SELECT array_agg(recon_key(s) ORDER BY n), array_agg(recon_reference(s) ORDER BY n)
		FROM unnest($1::text[]) WITH ORDINALITY AS each (s, n)`, texts).Scan(&keys, &references)
	if err != nil {
		t.Fatal(err)
	}
	for n, s := range texts {
		if fold := recon.FoldKey(s); fold != "" && !slices.Contains(sql.StoredKeys([]string{fold}), keys[n]) {
			t.Errorf("key %q: the index has %q, asked for %q", s, keys[n], sql.StoredKeys([]string{fold}))
		}
		for _, form := range recon.ReferenceForms(s) {
			if !slices.Contains(sql.StoredReferences(form), references[n]) {
				t.Errorf("reference %q: the index has %q, asked for %q", s, references[n], sql.StoredReferences(form))
			}
		}
	}
}
