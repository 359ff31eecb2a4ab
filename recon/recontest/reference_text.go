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

// The two ways to write letters that are not plain: as two, or without the mark. The worlds drawn have no others.
var (
	asTwo = strings.NewReplacer("Ä", "AE", "Ö", "OE", "Ü", "UE", "Å", "AA", "Ø", "OE", "Æ", "AE", "ß", "SS", "ẞ", "SS", "É", "E")
	asOne = strings.NewReplacer("Ä", "A", "Ö", "O", "Ü", "U", "Å", "A", "Ø", "O", "Æ", "AE", "ß", "SS", "ẞ", "SS", "É", "E")
)

// spellings are the ways to write references in plain letters and digits.
func spellings(texts ...string) []string {
	var all []string
	for _, text := range texts {
		text = plainKey(text)
		if text == "" {
			continue
		}
		for _, letters := range []*strings.Replacer{asTwo, asOne} {
			up := strings.Map(func(r rune) rune {
				if strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", r) {
					return r
				}
				return -1
			}, letters.Replace(strings.ToUpper(text)))
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
