package recon

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// noKeys are the words that banks print where there is no key (SEPA rulebook, MT940 field 61).
var noKeys = map[string]bool{"NOTPROVIDED": true, "NONREF": true}

// cleanKey is a key without the blanks around it; a placeholder is no key.
func cleanKey(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= len("NOTPROVIDED") && noKeys[strings.ToUpper(s)] {
		return ""
	}
	return s
}

// foldKey is a key without case and blanks, for rails that change both.
func foldKey(s string) string {
	s = cleanKey(s)
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || c <= ' ' || ('A' <= c && c <= 'Z') {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// foldAccount is an account number without case, blanks and punctuation, as IBANs are printed in groups.
func foldAccount(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, s)
}

// foldReference is a reference in upper case, Latin letters folded (ü → UE), letters and digits only. Text that
// folds to nothing is not comparable.
func foldReference(s string) string {
	s = cleanKey(s)
	plain := true
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	return foldLetters(s, digraphs)
}

// foldReferencePlain is [foldReference] with the letter alone (ü → U), as some banks print it. It differs only where
// the text has such letters.
func foldReferencePlain(s string) string {
	if isASCII(s) {
		return foldReference(s)
	}
	return foldLetters(cleanKey(s), nil)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// digraphs are the letters that are written as two where they cannot be printed.
var digraphs = map[rune]string{'Ä': "AE", 'Ö': "OE", 'Ü': "UE", 'Å': "AA", 'Ø': "OE", 'Æ': "AE"}

// singles are the letters that decomposition leaves whole.
var singles = map[rune]string{'ß': "SS", 'ẞ': "SS", 'Ø': "O", 'Æ': "AE", 'Œ': "OE", 'Ł': "L", 'Đ': "D", 'Ð': "D", 'Þ': "TH", 'ı': "I"}

func foldLetters(s string, pairs map[rune]string) string {
	if isASCII(s) { // composes and decomposes into itself
		return string(appendReference(make([]byte, 0, len(s)), s))
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFC.String(s) {
		upper := unicode.ToUpper(r)
		if pair, ok := pairs[upper]; ok {
			b.WriteString(pair)
			continue
		}
		if upper < 0x80 { // decomposes into itself
			writePlain(&b, upper)
			continue
		}
		for _, part := range norm.NFD.String(string(upper)) {
			writePlain(&b, unicode.ToUpper(part))
		}
	}
	return b.String()
}

// appendReference appends ASCII text as a reference is folded.
func appendReference(to []byte, ascii string) []byte {
	for i := range len(ascii) {
		c := ascii[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' {
			to = append(to, c)
		}
	}
	return to
}

// writePlain writes a decomposed letter or digit, and nothing for anything else.
func writePlain(b *strings.Builder, upper rune) {
	if upper < 0x80 {
		if ('0' <= upper && upper <= '9') || ('A' <= upper && upper <= 'Z') {
			b.WriteByte(byte(upper))
		}
		return
	}
	if single, ok := singles[upper]; ok {
		b.WriteString(single)
	} else if unicode.IsLetter(upper) || unicode.IsDigit(upper) {
		b.WriteRune(upper)
	}
}

// cutPrefix is how many letters and digits a cut reference must have left to be compared at all.
const cutPrefix = 12

// usualCuts are the lengths at which banks cut references: 16 characters in SWIFT messages (field 20, subfields 7 and 8 of
// field 61), 27 in the lines of national formats, 35 in ISO 20022 (Max35Text).
var usualCuts = []int{16, 27, 35}

// cutForms are the comparable spellings of texts that a bank may have cut, longest first: of those that have exactly
// one of the lengths at which it cuts.
func cutForms(cuts []int, texts ...string) []string {
	if len(cuts) == 0 {
		return nil
	}
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
		return !slices.Contains(cuts, utf8.RuneCountInString(text))
	})
	forms := slices.DeleteFunc(referenceForms(texts...), func(form string) bool { return len(form) < cutPrefix })
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return forms
}

// referenceForms are the comparable spellings of texts that may be a reference as a whole: one each, or two where
// letters are folded in two ways.
func referenceForms(texts ...string) []string {
	var all []string
	for _, text := range texts {
		for _, form := range [2]string{foldReference(text), foldReferencePlain(text)} {
			if form != "" && !slices.Contains(all, form) {
				all = append(all, form)
			}
		}
	}
	return all
}
