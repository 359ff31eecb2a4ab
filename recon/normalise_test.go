package recon

import (
	"slices"
	"testing"
)

func TestKeysFold(t *testing.T) {
	for _, c := range []struct{ in, clean, folded string }{
		{"", "", ""},
		{"   ", "", ""},
		{"pay_1", "pay_1", "pay_1"},
		{" pay_1 ", "pay_1", "pay_1"},
		{"PAY 7F3A", "PAY 7F3A", "pay7f3a"},
		{"NOTPROVIDED", "", ""},
		{"notProvided ", "", ""},
		{"NONREF", "", ""},
		{"NONREF-1", "NONREF-1", "nonref-1"},
		{"NOTPROVIDEDX", "NOTPROVIDEDX", "notprovidedx"},
		{"ÄB\u00a0C", "ÄB\u00a0C", "äbc"},
	} {
		if got := cleanKey(c.in); got != c.clean {
			t.Errorf("cleanKey(%q): got %q, want %q", c.in, got, c.clean)
		}
		if got := foldKey(c.in); got != c.folded {
			t.Errorf("foldKey(%q): got %q, want %q", c.in, got, c.folded)
		}
	}
}

func TestReferencesFold(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"---", nil},
		{"NOTPROVIDED", nil},
		{"INV-2025/17", []string{"INV202517"}},
		{"inv 2025 17", []string{"INV202517"}},
		{"Müller", []string{"MUELLER", "MULLER"}},
		{"Mu\u0308ller", []string{"MUELLER", "MULLER"}}, // u with a combining diaeresis
		{"MUELLER", []string{"MUELLER"}},
		{"Straße 5", []string{"STRASSE5"}},
		{"Åse Ørsted", []string{"AASEOERSTED", "ASEORSTED"}},
		{"Łódź", []string{"LODZ"}},
		{"ﬁ", []string{"ﬁ"}}, // a letter that has no plain one stays what it is
	} {
		if got := referenceForms(c.in); !slices.Equal(got, c.want) {
			t.Errorf("referenceForms(%q): got %q, want %q", c.in, got, c.want)
		}
	}
	if got := referenceForms("INV 1", "inv-1", "", "INV 2"); !slices.Equal(got, []string{"INV1", "INV2"}) {
		t.Errorf("got %q, want each form once", got)
	}
}

func TestAccountsFold(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "DE02 1203 0000 0000 2020 51": "DE02120300000000202051", "de02120300000000202051": "DE02120300000000202051",
		"acct_1-A": "ACCT1A", "--": "",
	} {
		if got := foldAccount(in); got != want {
			t.Errorf("foldAccount(%q): got %q, want %q", in, got, want)
		}
	}
}

// Folding twice is folding once, and the plain texts that take the short way fold as the others do.
func FuzzFolds(f *testing.F) {
	for _, seed := range []string{"", "INV-1", "Müller", "ẞ", "İ", "\xff", "K 1", "Ǆ", "\u0308"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, fold := range map[string]func(string) string{
			"foldKey": foldKey, "foldAccount": foldAccount, "foldReference": foldReference, "foldReferencePlain": foldReferencePlain,
		} {
			once := fold(s)
			if twice := fold(once); twice != once && cleanKey(once) != "" {
				t.Errorf("%s(%q): got %q and then %q", name, s, once, twice)
			}
		}
	})
}
