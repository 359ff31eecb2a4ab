package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// timetable is a cron expression in a zone. Of the cron library only the parser is used: its own loop skips or repeats
// runs when clocks change (docs/decisions.md). A slot is a minute on the wall clock, and has one key: in the hour that
// comes twice only the first counts, and a minute that a change of clocks leaves out is due when the gap ends.
type timetable struct {
	expression string
	schedule   cron.Schedule
	zone       *time.Location
}

// slot is one due run.
type slot struct {
	key string // the wall clock, such as 2026-03-29T02:30
	due time.Time
}

const slotLayout = "2006-01-02T15:04"

// parseTimetable reads a cron expression of five fields, or a word such as @daily.
func parseTimetable(expression string, zone *time.Location) (timetable, error) {
	refuse := func(why string) (timetable, error) {
		return timetable{}, configError{fmt.Sprintf("--cron %q: %s; expected five fields such as \"30 2 * * *\"", expression, why)}
	}
	switch trimmed := strings.TrimSpace(expression); {
	case strings.HasPrefix(trimmed, "TZ=") || strings.HasPrefix(trimmed, "CRON_TZ="):
		return refuse("the zone goes into --timezone")
	case strings.HasPrefix(trimmed, "@every"):
		return refuse("an interval has no slots that could be missed or repeated")
	}
	parser := cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	schedule, err := parser.Parse(expression)
	if err != nil {
		return refuse(err.Error())
	}
	if schedule.Next(time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return refuse("it never comes")
	}
	return timetable{expression, schedule, zone}, nil
}

// next is the first slot that is due after an instant.
func (t timetable) next(after time.Time) slot {
	// The expression is evaluated on the wall clock, written as if it were UTC. The day before is looked at as well, for
	// a gap moves a slot to a later minute.
	wall := wallClock(after, t.zone).Add(-24 * time.Hour)
	for {
		wall = t.schedule.Next(wall)
		if s := t.at(wall); s.due.After(after) && dayExists(wall, t.zone) {
			return s
		}
	}
}

// dayExists reports whether the zone had that day: Samoa went from 29 to 31 December 2011.
func dayExists(wall time.Time, zone *time.Location) bool {
	year, month, day := wall.Date()
	return wallClock(time.Date(year, month, day, 12, 0, 0, 0, zone), zone).Day() == day
}

// at is the slot of a minute on the wall clock.
func (t timetable) at(wall time.Time) slot {
	year, month, day := wall.Date()
	due := time.Date(year, month, day, wall.Hour(), wall.Minute(), 0, 0, t.zone)
	if back := wallClock(due, t.zone); !back.Equal(wall) {
		due = gapEnd(due, t.zone)
	} else if earlier := firstOf(due, wall, t.zone); !earlier.IsZero() {
		due = earlier
	}
	return slot{wall.Format(slotLayout), due}
}

// wallClock is what the clocks in a zone show, written as if it were UTC.
func wallClock(t time.Time, zone *time.Location) time.Time {
	_, offset := t.In(zone).Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// gapEnd is the first instant after the change of clocks nearest to t.
func gapEnd(t time.Time, zone *time.Location) time.Time {
	low, high := t.Add(-36*time.Hour), t.Add(36*time.Hour)
	_, before := low.In(zone).Zone()
	for high.Sub(low) > time.Second {
		middle := low.Add(high.Sub(low) / 2).Truncate(time.Second)
		if _, offset := middle.In(zone).Zone(); offset == before {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// firstOf is an earlier instant at which the clocks showed the same, or none.
func firstOf(t, wall time.Time, zone *time.Location) time.Time {
	for _, shift := range []time.Duration{30 * time.Minute, time.Hour, 90 * time.Minute, 2 * time.Hour} {
		if earlier := t.Add(-shift); wallClock(earlier, zone).Equal(wall) {
			return earlier
		}
	}
	return time.Time{}
}

// due lists the slots after the last one done and up to now, oldest first, at most the given number (the newest).
func (t timetable) due(last, now time.Time, most int) []slot {
	var slots []slot
	for s := t.next(last); !s.due.After(now); s = t.next(s.due) {
		if slots = append(slots, s); len(slots) > most {
			slots = slots[1:]
		}
	}
	return slots
}
