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

// instantLayouts are RFC 3339 and what PostgreSQL prints for a timestamptz.
var instantLayouts = [2][]string{
	{time.RFC3339},
	{"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07"},
}

// ParseInstant reads an instant: RFC 3339, or PostgreSQL's own output with a blank for the T and an offset
// that may lack minutes. The offset is required. The result is in UTC and cut to the microsecond, which is
// what PostgreSQL keeps, so that a file and the row stored from it stay equal.
func ParseInstant(s string) (time.Time, error) {
	const shortest = len("2006-01-02T15:04:05Z")
	if len(s) < shortest-1 || s[13] != ':' || s[16] != ':' {
		return time.Time{}, fmt.Errorf("%w: %q", ErrNotInstant, s)
	}
	layouts := instantLayouts[0]
	if s[10] == ' ' {
		layouts = instantLayouts[1]
	}
	for _, layout := range layouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		t = t.UTC().Truncate(time.Microsecond)
		// Year 1 is Go's zero time, which programs write when they mean none.
		if t.Year() < 2 || t.Year() > 9999 || strings.Contains(s, ",") {
			break
		}
		return t, nil
	}
	if !hasOffset(s[shortest-1:]) {
		return time.Time{}, fmt.Errorf("%w: %q", ErrNoOffset, s)
	}
	return time.Time{}, fmt.Errorf("%w: %q", ErrNotInstant, s)
}

// hasOffset looks at what follows the seconds.
func hasOffset(rest string) bool {
	return strings.TrimLeft(rest, ".0123456789") != ""
}
