package recontest

import (
	"slices"
	"strings"
)

func plainKey(s string) string {
	s = strings.TrimSpace(s)
	if up := strings.ToUpper(s); up == "NOTPROVIDED" || up == "NONREF" {
		return ""
	}
	return s
}

func looseKey(s string) string {
	return strings.ToLower(strings.ReplaceAll(plainKey(s), " ", ""))
}

// account folds an account number as it may be printed.
func account(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToUpper(s), " ", ""), "-", "")
}

// spellings are the ways to write a reference in plain letters and digits. The worlds drawn have no letters beyond ü.
func spellings(texts ...string) []string {
	var all []string
	for _, text := range texts {
		for _, u := range []string{"UE", "U"} {
			up := strings.ReplaceAll(strings.ToUpper(plainKey(text)), "Ü", u)
			up = strings.Map(func(r rune) rune {
				if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
					return r
				}
				return -1
			}, up)
			if up != "" && !slices.Contains(all, up) {
				all = append(all, up)
			}
		}
	}
	return all
}

func (a *refAttempt) texts() []string { return spellings(a.Reference) }
func (e *refEntry) texts() []string {
	return spellings(e.MerchantReference, e.EndToEndID, e.RemittanceText)
}

func shareText(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func agree(a, b string) bool { return a == "" || b == "" || account(a) == account(b) }
