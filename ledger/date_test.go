package ledger_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"agentrecon/ledger"
)

func TestEveryDayOfAllYears(t *testing.T) {
	day := time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)
	for want := ledger.Date(1); day.Year() <= 9999; want++ {
		text := day.Format(time.DateOnly)
		got, err := ledger.ParseDate(text)
		if err != nil || got != want {
			t.Fatalf("%s: got %d, %v; want %d", text, got, err, want)
		}
		// Printing and taking apart is slower; one day in a hundred and every end of February will do.
		if want%97 == 0 || day.Month() == time.February && day.Day() > 27 {
			if got.String() != text || !got.Time().Equal(day) || got.Weekday() != day.Weekday() || got.IsZero() ||
				ledger.NewDate(day.Year(), day.Month(), day.Day()) != got || ledger.DateOf(day, time.UTC) != got {
				t.Fatalf("%s: %v %v %v", text, got, got.Time(), got.Weekday())
			}
		}
		day = day.AddDate(0, 0, 1)
	}
}

func TestParseDateAgreesWithTheStandardLibrary(t *testing.T) {
	// Every month and day of a common and a leap year, those that do not exist included.
	for _, year := range []int{1900, 2000, 2023, 2024} {
		for month := range 15 {
			for day := range 34 {
				text := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
				_, err := ledger.ParseDate(text)
				if _, want := time.Parse(time.DateOnly, text); (err == nil) != (want == nil) {
					t.Errorf("%s: got %v, want %v", text, err, want)
				}
			}
		}
	}
}

func TestWhatIsNoDate(t *testing.T) {
	for _, s := range []string{
		"", "2025", "2025-1-31", "2025-01-31 ", " 2025-01-31", "2025/01/31", "31.01.2025", "20250131", "2025-01-31T00:00:00Z",
		"0000-01-01", "-025-01-01", "2025-+1-01", "２０２５-01-01", "12025-01-31",
	} {
		if d, err := ledger.ParseDate(s); err == nil {
			t.Errorf("%q was taken for %s", s, d)
		}
	}
	if s := ledger.Date(0).String(); s != "" || !ledger.Date(0).IsZero() {
		t.Errorf("no date prints %q", s)
	}
}

func load(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestDayBoundsWhereClocksChange(t *testing.T) {
	for _, test := range []struct {
		zone, date, start string
		hours             float64
	}{
		{"UTC", "2025-03-30", "2025-03-30T00:00:00Z", 24},
		{"Europe/Berlin", "2025-03-29", "2025-03-28T23:00:00Z", 24},
		{"Europe/Berlin", "2025-03-30", "2025-03-29T23:00:00Z", 23},
		{"Europe/Berlin", "2025-10-26", "2025-10-25T22:00:00Z", 25},
		{"America/New_York", "2025-03-09", "2025-03-09T05:00:00Z", 23},
		{"Australia/Lord_Howe", "2025-04-06", "2025-04-05T13:00:00Z", 24.5},
		// Midnight does not exist: the day starts at one o'clock.
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", 23},
		// Midnight comes twice: the day starts with the first.
		{"America/Havana", "2024-11-03", "2024-11-03T04:00:00Z", 25},
		{"Asia/Kathmandu", "2025-01-01", "2024-12-31T18:15:00Z", 24},
		// A whole day does not exist: it lasts no time.
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", 0},
	} {
		zone := load(t, test.zone)
		d, err := ledger.ParseDate(test.date)
		if err != nil {
			t.Fatal(err)
		}
		start, hours := d.Start(zone).UTC().Format(time.RFC3339), d.End(zone).Sub(d.Start(zone)).Hours()
		if start != test.start || hours != test.hours {
			t.Errorf("%s in %s: got %s and %v hours, want %s and %v", test.date, test.zone, start, hours, test.start, test.hours)
		}
	}
}

// zones have every kind of clock change there is.
var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia",
	"Pacific/Kiritimati", "Africa/Casablanca", "Asia/Beirut", "America/Havana", "Asia/Gaza",
}

func TestEveryInstantIsInTheDayItFallsOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		instant := time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "seconds"), 0)
		d := ledger.DateOf(instant, zone)
		if instant.Before(d.Start(zone)) || !instant.Before(d.End(zone)) {
			t.Fatalf("%s is not in %s, which goes from %s to %s", instant.In(zone), d, d.Start(zone), d.End(zone))
		}
		p := ledger.Period{From: d, To: d.AddDays(1), Zone: zone}
		if !p.HasInstant(instant) || !p.HasDate(d) || p.HasDate(d.AddDays(1)) || p.HasDate(d.AddDays(-1)) {
			t.Fatalf("%s is not in %s", instant.In(zone), p)
		}
	})
}

func TestEveryInstantAroundAClockChangeIsInItsDay(t *testing.T) {
	for _, name := range zones {
		zone := load(t, name)
		for change := time.Date(1990, 1, 1, 0, 0, 0, 0, zone); change.Year() < 2030; {
			_, next := change.ZoneBounds()
			if next.IsZero() {
				break
			}
			change = next
			for shift := -49 * time.Hour; shift <= 49*time.Hour; shift += 15 * time.Minute {
				for _, second := range [...]time.Duration{-1, 0} {
					instant := change.Add(shift + second)
					if d := ledger.DateOf(instant, zone); instant.Before(d.Start(zone)) || !instant.Before(d.End(zone)) {
						t.Fatalf("%s is not in %s, which goes from %s to %s", instant.In(zone), d, d.Start(zone), d.End(zone))
					}
				}
			}
		}
	}
}

func TestDaysFollowEachOtherWithoutGap(t *testing.T) {
	for _, name := range zones {
		zone := load(t, name)
		for d := ledger.NewDate(2011, 1, 1); d < ledger.NewDate(2026, 1, 1); d++ {
			if start, end := d.Start(zone), d.End(zone); end.Before(start) || !end.Equal(d.AddDays(1).Start(zone)) {
				t.Fatalf("%s in %s: from %s to %s", d, name, start, end)
			}
		}
	}
}

func TestPeriods(t *testing.T) {
	berlin := load(t, "Europe/Berlin")
	for _, test := range []struct {
		period          ledger.Period
		name, from, end string
	}{
		{ledger.Quarter(2025, 1, nil), "Q1 2025", "2025-01-01T00:00:00Z", "2025-04-01T00:00:00Z"},
		{ledger.Quarter(2024, 4, berlin), "Q4 2024", "2024-09-30T22:00:00Z", "2024-12-31T23:00:00Z"},
		{ledger.Month(2025, time.December, nil), "December 2025", "2025-12-01T00:00:00Z", "2026-01-01T00:00:00Z"},
		{ledger.Month(2024, time.February, berlin), "February 2024", "2024-01-31T23:00:00Z", "2024-02-29T23:00:00Z"},
		{
			ledger.Period{From: ledger.NewDate(2025, 1, 10), To: ledger.NewDate(2025, 2, 3)},
			"2025-01-10 up to, excluding, 2025-02-03",
			"2025-01-10T00:00:00Z", "2025-02-03T00:00:00Z",
		},
		{
			ledger.Period{From: ledger.NewDate(2025, 2, 1), To: ledger.NewDate(2025, 5, 1)},
			"2025-02-01 up to, excluding, 2025-05-01",
			"2025-02-01T00:00:00Z", "2025-05-01T00:00:00Z",
		},
	} {
		from, end := test.period.Start().UTC(), test.period.End().UTC()
		if test.period.String() != test.name || from.Format(time.RFC3339) != test.from || end.Format(time.RFC3339) != test.end {
			t.Errorf("got %s, %s, %s; want %s, %s, %s", test.period, from, end, test.name, test.from, test.end)
		}
		if !test.period.HasInstant(from) || test.period.HasInstant(end) || !test.period.HasInstant(end.Add(-1)) || test.period.HasInstant(from.Add(-1)) {
			t.Errorf("%s is not half-open", test.name)
		}
	}
}

func TestTheZeroPeriodHoldsEverything(t *testing.T) {
	var p ledger.Period
	if !p.IsZero() || !p.HasDate(1) || !p.HasInstant(time.Time{}) || p.String() != "everything recorded" {
		t.Errorf("%+v: %s", p, p)
	}
}

func TestQuartersAndMonthsTileTheYear(t *testing.T) {
	d := ledger.NewDate(2023, 1, 1)
	months := d
	for year := 2023; year < 2033; year++ {
		for quarter := 1; quarter <= 4; quarter++ {
			p := ledger.Quarter(year, quarter, nil)
			if p.From != d || p.To <= p.From {
				t.Fatalf("%s starts on %s, want %s", p, p.From, d)
			}
			d = p.To
		}
		for month := time.January; month <= time.December; month++ {
			p := ledger.Month(year, month, nil)
			if p.From != months {
				t.Fatalf("%s starts on %s, want %s", p, p.From, months)
			}
			months = p.To
		}
	}
}

func TestParseCovers(t *testing.T) {
	got, err := ledger.ParseCovers("2025-01-01..2025-03-31")
	if want := ledger.Quarter(2025, 1, nil); err != nil || got != want {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err = ledger.ParseCovers("2025-01-31..2025-01-31"); err != nil || got.To != got.From+1 {
		t.Errorf("one day: got %v, %v", got, err)
	}
	for s, want := range map[string]string{
		"":                       `not a range of days such as 2025-01-01..2025-03-31 (both included): ""`,
		"2025-01-01":             `not a range of days such as 2025-01-01..2025-03-31 (both included): "2025-01-01"`,
		"2025-01-01..2025-02-30": `not a range of days such as 2025-01-01..2025-03-31 (both included): "2025-01-01..2025-02-30"`,
		"2025-01-01...":          `not a range of days such as 2025-01-01..2025-03-31 (both included): "2025-01-01..."`,
		"2025-03-31..2025-01-01": `the range of days ends before it starts: "2025-03-31..2025-01-01"`,
	} {
		if _, err := ledger.ParseCovers(s); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", s, err, want)
		}
	}
}
