package ledger

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Reasons an instant is refused. ParseInstant wraps them with the text it read.
var (
	ErrNotInstant = errors.New("want a time such as 2025-02-19T11:04:07Z or 2025-02-19 11:04:07+00")
	ErrNoOffset   = errors.New("the time has no offset from UTC, so it names no instant; append Z or one such as +01:00")
)

// ParseInstant reads an instant: RFC 3339, or PostgreSQL's own output with a blank for the T and an offset
// that may lack minutes. The offset is required. The result is in UTC and cut to the microsecond, which is
// what PostgreSQL keeps, so that a file and the row stored from it stay equal.
func ParseInstant(s string) (time.Time, error) {
	// By hand, for every attempt and outcome has such a time and time.Parse takes three times as long.
	const layout = "YYYY-MM-DDTHH:MM:SS"
	if len(s) < len(layout) || s[10] != 'T' && s[10] != ' ' {
		return time.Time{}, fmt.Errorf("%w: %q", ErrNotInstant, s)
	}
	date, err := ParseDate(s[:10])
	seconds, ok := clock(s[11:len(layout)])
	nanos, rest, okFraction := fraction(s[len(layout):])
	if err != nil || !ok || !okFraction {
		return time.Time{}, fmt.Errorf("%w: %q", ErrNotInstant, s)
	}
	if rest == "" {
		return time.Time{}, fmt.Errorf("%w: %q", ErrNoOffset, s)
	}
	ahead, ok := offsetSeconds(rest, s[10] == ' ')
	unix := (int64(date)+dateOrigin)*secondsPerDay + seconds - ahead
	if !ok || unix < earliest || unix >= latest {
		return time.Time{}, fmt.Errorf("%w: %q", ErrNotInstant, s)
	}
	return time.Unix(unix, nanos-nanos%int64(time.Microsecond)).UTC(), nil
}

// Instants lie in the years 2 to 9999: Go's zero time, in year 1, is what programs write when they mean none.
var (
	earliest = time.Date(2, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
	latest   = time.Date(10_000, time.January, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// clock reads HH:MM:SS as seconds. There is no 24:00 and no leap second.
func clock(s string) (seconds int64, ok bool) {
	if s[2] != ':' || s[5] != ':' || !allDigits(s[:2]) || !allDigits(s[3:5]) || !allDigits(s[6:]) {
		return 0, false
	}
	hour, minute, second := number(s[:2]), number(s[3:5]), number(s[6:])
	return int64((hour*60+minute)*60 + second), hour < 24 && minute < 60 && second < 60
}

// fraction reads ".123" off the front of s, if there is one, as nanoseconds; digits beyond those are dropped.
func fraction(s string) (nanos int64, rest string, ok bool) {
	if !strings.HasPrefix(s, ".") {
		return 0, s, true
	}
	i, unit := 1, int64(100*time.Millisecond)
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		nanos += int64(s[i]-'0') * unit
		unit /= 10
	}
	return nanos, s[i:], i > 1
}

// offsetSeconds reads Z, +HH:MM or, if short ones are allowed, +HH.
func offsetSeconds(s string, short bool) (seconds int64, ok bool) {
	const long = "+HH:MM"
	switch {
	case s == "Z":
		return 0, true
	case s[0] != '+' && s[0] != '-', len(s) < 3, !allDigits(s[1:3]):
		return 0, false
	case len(s) == 3 && short:
		s += ":00"
	case len(s) != len(long), s[3] != ':', !allDigits(s[4:]):
		return 0, false
	}
	hours, minutes := number(s[1:3]), number(s[4:])
	seconds = int64(hours*60+minutes) * 60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, hours < 24 && minutes < 60
}
