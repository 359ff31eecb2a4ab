package main

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrecon/sql"
)

// TestEveryDayHasOneSlot: a daily schedule has exactly one slot for every calendar day, in zones whose clocks change at
// that very time, and one that skipped a day.
func TestEveryDayHasOneSlot(t *testing.T) {
	zones := []string{
		"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia", "Asia/Tehran",
		"Africa/Cairo", "America/Sao_Paulo", "Pacific/Kiritimati", "Asia/Kathmandu",
	}
	times := []string{"0 0 * * *", "15 0 * * *", "59 1 * * *", "15 2 * * *", "30 2 * * *", "0 3 * * *", "59 23 * * *"}
	for _, name := range zones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, expression := range times {
			table, err := parseTimetable(expression, zone)
			if err != nil {
				t.Fatal(err)
			}
			at := time.Date(2010, time.December, 1, 12, 0, 0, 0, time.UTC)
			last, day := slot{}, time.Time{}
			for range 3 * 366 {
				s := table.next(at)
				got, err := time.Parse(slotLayout, s.key)
				if err != nil {
					t.Fatal(err)
				}
				got = got.Truncate(24 * time.Hour)
				next := day.AddDate(0, 0, 1)
				if name == "Pacific/Apia" && next.Equal(time.Date(2011, time.December, 30, 0, 0, 0, 0, time.UTC)) {
					next = next.AddDate(0, 0, 1) // Samoa had no such day
				}
				if !day.IsZero() && !got.Equal(next) {
					t.Fatalf("%s %s: after %s comes %s", name, expression, last.key, s.key)
				}
				if !s.due.After(at) {
					t.Fatalf("%s %s: slot %s is due at %s, not after %s", name, expression, s.key, s.due, at)
				}
				last, day, at = s, got, s.due
			}
		}
	}
}

func TestSlotsWhenClocksChange(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	table, err := parseTimetable("30 2 * * *", berlin)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ after, key, due string }{
		{"2026-03-28T12:00:00Z", "2026-03-29T02:30", "2026-03-29T01:00:00Z"}, // left out: due when the gap ends
		{"2026-03-29T01:00:00Z", "2026-03-30T02:30", "2026-03-30T00:30:00Z"},
		{"2026-10-24T12:00:00Z", "2026-10-25T02:30", "2026-10-25T00:30:00Z"}, // comes twice: the first counts
		{"2026-10-25T00:30:00Z", "2026-10-26T02:30", "2026-10-26T01:30:00Z"},
	} {
		after, _ := time.Parse(time.RFC3339, tt.after)
		s := table.next(after)
		if got := []string{s.key, s.due.UTC().Format(time.RFC3339)}; !cmp.Equal(got, []string{tt.key, tt.due}) {
			t.Errorf("after %s: got %v, want %s due %s", tt.after, got, tt.key, tt.due)
		}
	}
}

func TestTimetablesThatAreRefused(t *testing.T) {
	for _, expression := range []string{
		"", "CRON_TZ=Europe/Berlin", "TZ=UTC 0 0 * * *", "@every 5m", "0 0 30 2 *", "* * * *", "61 * * * *", "0 0 * * 8",
	} {
		if _, err := parseTimetable(expression, time.UTC); err == nil {
			t.Errorf("%q: accepted", expression)
		} else if exitCode(err) != exitConfig {
			t.Errorf("%q: exit code %d, want %d", expression, exitCode(err), exitConfig)
		}
	}
}

// memorySlots is a store in memory.
type memorySlots struct {
	last   time.Time
	missed []string
}

func (m *memorySlots) LastSlot(context.Context) (time.Time, error) { return m.last, nil }

func (m *memorySlots) RecordMissed(_ context.Context, slot sql.Slot) error {
	m.missed = append(m.missed, slot.Key)
	m.last = slot.Due
	return nil
}

// TestLoop runs days in milliseconds: a slot that fails is tried again, one that panics too, and none runs twice.
func TestLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, err := parseTimetable("30 2 * * *", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		store := &memorySlots{}
		var ran []string
		tries := 0
		ctx, cancel := context.WithCancel(t.Context())
		s := &scheduler{
			table: table, store: store, now: time.Now, sleep: sleep, log: slog.New(slog.DiscardHandler),
			run: func(_ context.Context, at slot) error {
				switch tries++; tries {
				case 2:
					return errors.New("database away")
				case 3:
					panic("a fault")
				}
				ran = append(ran, at.key)
				store.last = at.due
				if len(ran) == 3 {
					cancel()
				}
				return nil
			},
		}
		store.last = time.Now() // 2000-01-01 in the bubble
		if err := s.loop(ctx); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if want := []string{"2000-01-01T02:30", "2000-01-02T02:30", "2000-01-03T02:30"}; !cmp.Equal(ran, want) {
			t.Errorf("ran %v, want %v", ran, want)
		}
	})
}

// TestCatchUp: after a stop only the newest slot runs, and the others are written down as missed.
func TestCatchUp(t *testing.T) {
	table, err := parseTimetable("@daily", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, time.May, 10, 8, 0, 0, 0, time.UTC)
	store := &memorySlots{last: now.AddDate(0, 0, -4)}
	s := &scheduler{table: table, store: store, now: func() time.Time { return now }, log: slog.New(slog.DiscardHandler)}
	due, err := s.pending(t.Context())
	if err != nil || due == nil {
		t.Fatal(due, err)
	}
	if due.key != "2026-05-10T00:00" {
		t.Errorf("newest is %s", due.key)
	}
	if want := []string{"2026-05-07T00:00", "2026-05-08T00:00", "2026-05-09T00:00"}; !cmp.Equal(store.missed, want) {
		t.Errorf("missed %v, want %v", store.missed, want)
	}
}
