package ledger

import (
	"fmt"
	"time"
)

// Date is a calendar date without a zone, counted in days; the zero value is no date. Dates compare with < and >.
type Date int32

// dateOrigin is the day before Date(1).
var dateOrigin = time.Date(0, time.December, 31, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay

const secondsPerDay = 24 * 60 * 60

// DateOf is the calendar date of an instant in a zone.
func DateOf(t time.Time, zone *time.Location) Date {
	year, month, day := t.In(zone).Date()
	return NewDate(year, month, day)
}

// NewDate is the date of a year (1 to 9999), month and day; days beyond the month's end roll over as in time.Date.
func NewDate(year int, month time.Month, day int) Date {
	return Date(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()/secondsPerDay - dateOrigin)
}

// ParseDate reads YYYY-MM-DD, years 0001 to 9999.
func ParseDate(s string) (Date, error) {
	// By hand, for every row of every ledger has such dates and time.Parse takes four times as long.
	const layout = "YYYY-MM-DD"
	if len(s) == len(layout) && s[4] == '-' && s[7] == '-' && allDigits(s[:4]) && allDigits(s[5:7]) && allDigits(s[8:]) {
		year, month, day := number(s[:4]), time.Month(number(s[5:7])), number(s[8:])
		if year >= 1 && month >= time.January && month <= time.December && day >= 1 && day <= daysIn(year, month) {
			return NewDate(year, month, day), nil
		}
	}
	return 0, fmt.Errorf("not a date such as 2025-03-31: %q", s)
}

// number is the value of a few digits.
func number(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

func daysIn(year int, month time.Month) int {
	switch month {
	case time.April, time.June, time.September, time.November:
		return 30
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	default:
		return 31
	}
}

// IsZero reports whether there is no date.
func (d Date) IsZero() bool { return d == 0 }

// AddDays is the date n days later.
func (d Date) AddDays(n int) Date { return d + Date(n) }

// Start is the first instant of the day in a zone. Where clocks skip midnight, it is the instant they do so;
// where they strike midnight twice, it is the first time. (time.Date promises neither.)
func (d Date) Start(zone *time.Location) time.Time {
	midnight := d.utc()
	year, month, day := midnight.Date()
	near := time.Date(year, month, day, 0, 0, 0, 0, zone)
	from, to := near.ZoneBounds()
	if !from.IsZero() {
		if before := midnight.Add(-offset(from.Add(-1))); before.Before(from) {
			return before.In(zone)
		}
	}
	start := midnight.Add(-offset(near))
	switch {
	case start.Before(from):
		return from
	case !to.IsZero() && start.After(to):
		return to
	default:
		return start.In(zone)
	}
}

// offset is how far local time is ahead of UTC.
func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// End is the first instant after the day in a zone.
func (d Date) End(zone *time.Location) time.Time { return d.AddDays(1).Start(zone) }

// Weekday is the day of the week.
func (d Date) Weekday() time.Weekday { return d.utc().Weekday() }

// Time is midnight UTC of the day; it is how a date is handed to a database or a spreadsheet.
func (d Date) Time() time.Time { return d.utc() }

// String prints YYYY-MM-DD, or nothing for no date.
func (d Date) String() string {
	if d == 0 {
		return ""
	}
	return d.utc().Format(time.DateOnly)
}

func (d Date) utc() time.Time {
	return time.Unix((int64(d)+dateOrigin)*secondsPerDay, 0).UTC()
}

// Period is a half-open range of days in a zone: From is in it, To is not. The zero Period holds everything.
type Period struct {
	From, To Date
	Zone     *time.Location // nil means UTC
}

// IsZero reports whether the period is unbounded.
func (p Period) IsZero() bool { return p.From == 0 && p.To == 0 }

// HasDate reports whether a printed date falls into the period.
func (p Period) HasDate(d Date) bool { return p.IsZero() || (p.From <= d && d < p.To) }

// HasInstant reports whether an instant falls into the period, read in its zone.
func (p Period) HasInstant(t time.Time) bool {
	return p.IsZero() || (!t.Before(p.Start()) && t.Before(p.End()))
}

// Start is the first instant of the period.
func (p Period) Start() time.Time { return p.From.Start(p.zone()) }

// End is the first instant after the period.
func (p Period) End() time.Time { return p.To.Start(p.zone()) }

func (p Period) zone() *time.Location {
	if p.Zone == nil {
		return time.UTC
	}
	return p.Zone
}

// String names the period as people do: "Q1 2025", "February 2025", or "2025-01-10 up to, excluding, 2025-02-03".
func (p Period) String() string {
	if p.IsZero() {
		return "everything recorded"
	}
	from, to := p.From.utc(), p.To.utc()
	switch {
	case from.Day() == 1 && from.AddDate(0, 1, 0).Equal(to):
		return from.Format("January 2006")
	case from.Day() == 1 && (from.Month()-1)%3 == 0 && from.AddDate(0, 3, 0).Equal(to):
		return fmt.Sprintf("Q%d %d", (from.Month()-1)/3+1, from.Year())
	default:
		return p.From.String() + " up to, excluding, " + p.To.String()
	}
}

// Quarter is the period of a calendar quarter (1 to 4).
func Quarter(year, quarter int, zone *time.Location) Period {
	from := NewDate(year, time.Month(3*(quarter-1)+1), 1)
	return Period{From: from, To: NewDate(year, time.Month(3*(quarter-1)+4), 1), Zone: zone}
}

// Month is the period of a calendar month.
func Month(year int, month time.Month, zone *time.Location) Period {
	return Period{From: NewDate(year, month, 1), To: NewDate(year, month+1, 1), Zone: zone}
}
