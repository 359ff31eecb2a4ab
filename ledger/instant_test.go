package ledger_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentrecon/ledger"
)

func TestParseInstant(t *testing.T) {
	for text, want := range map[string]string{
		"2025-02-19T11:04:07Z":                "2025-02-19T11:04:07Z",
		"2025-02-19T11:04:07.5Z":              "2025-02-19T11:04:07.5Z",
		"2025-02-19T11:04:07.123456789Z":      "2025-02-19T11:04:07.123456Z",
		"2025-02-19T23:30:00-05:00":           "2025-02-20T04:30:00Z",
		"2025-02-19T11:04:07+00:00":           "2025-02-19T11:04:07Z",
		"2025-02-19 11:04:07+00":              "2025-02-19T11:04:07Z",
		"2025-02-19 11:04:07.123456+05:30":    "2025-02-19T05:34:07.123456Z",
		"2025-02-19 11:04:07-08":              "2025-02-19T19:04:07Z",
		"2025-02-19 11:04:07Z":                "2025-02-19T11:04:07Z",
		"1969-12-31T23:59:59.9999999Z":        "1969-12-31T23:59:59.999999Z",
		"2024-02-29 23:59:59.999999999+00:00": "2024-02-29T23:59:59.999999Z",
	} {
		got, err := ledger.ParseInstant(text)
		if err != nil || got.Format(time.RFC3339Nano) != want || got.Location() != time.UTC {
			t.Errorf("%q: got %v, %v; want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]error{
		"2025-02-19T11:04:07":              ledger.ErrNoOffset,
		"2025-02-19 11:04:07":              ledger.ErrNoOffset,
		"2025-02-19 11:04:07.123456":       ledger.ErrNoOffset,
		"":                                 ledger.ErrNotInstant,
		"2025-02-19":                       ledger.ErrNotInstant,
		"2025-02-19T11:04Z":                ledger.ErrNotInstant,
		"2025-02-19T1:04:07Z":              ledger.ErrNotInstant,
		"2025-02-19T11:04:07,5Z":           ledger.ErrNotInstant,
		"2025-02-19T24:00:00Z":             ledger.ErrNotInstant,
		"2025-02-30T11:04:07Z":             ledger.ErrNotInstant,
		"2025-02-19T11:04:60Z":             ledger.ErrNotInstant,
		"2025-02-19T11:04:07 CET":          ledger.ErrNotInstant,
		"2025-02-19T11:04:07+01":           ledger.ErrNotInstant,
		"2025-02-19 11:04:07+01:00:00":     ledger.ErrNotInstant,
		"0001-01-01T00:00:00Z":             ledger.ErrNotInstant,
		"9999-12-31T23:59:59-01:00":        ledger.ErrNotInstant,
		"infinity":                         ledger.ErrNotInstant,
		"1739963047":                       ledger.ErrNotInstant,
		"Wed, 19 Feb 2025 11:04:07 GMT":    ledger.ErrNotInstant,
		"0044-03-15 12:00:00+00 BC":        ledger.ErrNotInstant,
		"2025-02-19T11:04:07Z trailing":    ledger.ErrNotInstant,
		"2025-02-19T11:04:07+99:00":        ledger.ErrNotInstant,
		"2025-02-19T11:04:07+24:00":        ledger.ErrNotInstant,
		"2025-02-19T11:04:07+01:60":        ledger.ErrNotInstant,
		"2025-02-19t11:04:07z":             ledger.ErrNotInstant,
		"2025-02-19T11:04:07.Z":            ledger.ErrNotInstant,
		" 2025-02-19T11:04:07Z":            ledger.ErrNotInstant,
		"2025-02-19T11:04:07.123456789012": ledger.ErrNoOffset,
	} {
		if got, err := ledger.ParseInstant(text); !errors.Is(err, want) || !got.IsZero() {
			t.Errorf("%q: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestInstantsPrintedInAnyZoneParseBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.UnixMicro(rapid.Int64Range(-1e15, 1e17).Draw(t, "µs"))
		minutes := rapid.IntRange(-14*60, 14*60).Draw(t, "offset")
		layout := rapid.SampledFrom([]string{time.RFC3339Nano, "2006-01-02 15:04:05.999999Z07:00"}).Draw(t, "layout")
		text := want.In(time.FixedZone("", minutes*60)).Format(layout)
		if got, err := ledger.ParseInstant(text); err != nil || !got.Equal(want) {
			t.Fatalf("%s: got %v, %v; want %v", text, got, err, want)
		}
	})
}

// FuzzParseInstant holds the parser against the standard library, which it must agree with wherever both
// accept; the library also takes what this one refuses, such as a comma for the fraction's point, and offsets of 24 hours
// or 60 minutes, which RFC 3339 does not know.
func FuzzParseInstant(f *testing.F) {
	for _, seed := range []string{
		"2025-02-19T11:04:07Z", "2025-02-19 11:04:07.123456-05:30", "2025-02-19 11:04:07+00", "2025-02-19T11:04:07", "2024-02-29T23:59:59.9+14:00",
		"2024-02-19T23:59:59.9+24:00", "2024-02-19T23:59:59+01:60",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ledger.ParseInstant(text)
		if err != nil {
			if !errors.Is(err, ledger.ErrNotInstant) && !errors.Is(err, ledger.ErrNoOffset) {
				t.Fatalf("%q: %v", text, err)
			}
			if want, err := time.Parse(time.RFC3339, text); err == nil && want.UTC().Year() > 1 && want.UTC().Year() < 10_000 && !strings.Contains(text, ",") && text[12] != ':' &&
				!strings.HasSuffix(text, ":60") && !strings.Contains(text[len(text)-6:], "24:") {
				t.Fatalf("%q is refused: %v", text, want)
			}
			return
		}
		for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07"} {
			if want, err := time.Parse(layout, text); err == nil {
				if want = want.UTC().Truncate(time.Microsecond); !want.Equal(got) {
					t.Fatalf("%q: got %v, want %v", text, got, want)
				}
				return
			}
		}
		t.Fatalf("%q was accepted as %v", text, got)
	})
}
